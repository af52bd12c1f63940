import site from 'content:site';

/** The phone number or the e-mail address, as a link that starts it. */
export function ContactFact({ kind }: { kind: 'phone' | 'email' }) {
  return kind === 'phone' ? (
    <a href={`tel:${site.phone.replace(/[^+\d]/g, '')}`}>{site.phone}</a>
  ) : (
    <a href={`mailto:${site.email}`}>{site.email}</a>
  );
}
