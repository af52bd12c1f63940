import { useContent } from '../content/context.ts';
/** How to reach the business: links that start a mail or a call. */

export function EmailLink() {
  const { email } = useContent().site;
  return <a href={`mailto:${email}`}>{email}</a>;
}

export const PhoneLink = ({ phone }: { phone: string }) => (
  <a href={`tel:${phone.replace(/[^+\d]/g, '')}`}>{phone}</a>
);
