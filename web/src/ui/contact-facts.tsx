/** How to reach the business: links that start a mail or a call. */
import site from 'content:site';

export const EmailLink = () => <a href={`mailto:${site.email}`}>{site.email}</a>;

export const PhoneLink = ({ phone }: { phone: string }) => (
  <a href={`tel:${phone.replace(/[^+\d]/g, '')}`}>{phone}</a>
);
