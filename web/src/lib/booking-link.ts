/**
 * The booking page, filled in with what the visitor typed and with the lead's id, which the service's webhook brings back
 * (`src/lead_fields.rs` does the same for mails).
 */
export function bookingLink(address: string, name: string, email: string, lead: string): string {
  const url = new URL(address);
  const token = /(^|\.)calendly\.com$/.test(url.hostname) ? 'utm_content' : 'metadata[lead]';
  for (const [key, value] of Object.entries({ name, email, [token]: lead }))
    url.searchParams.set(key, value);
  // Not every service reads a plus as a space.
  url.search = url.search.replaceAll('+', '%20');
  return url.href;
}

/** Fills in every booking link of the page, once its form is sent. */
export function fillBookingLinks(name = '', email = '', lead = '') {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-booking]'))
    link.href = bookingLink(link.href, name, email, lead);
}
