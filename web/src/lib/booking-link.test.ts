import { expect, it } from 'vitest';
import { bookingLink } from './booking-link.ts';

const lead = '019a7c1e-0000-7000-8000-000000000001';

it('fills in the booking page in the words of its service, again and again', () => {
  const fill = (address: string) => bookingLink(address, 'Ada & Co +1', 'ada+x@example.org', lead);
  const typed = 'name=Ada%20%26%20Co%20%2B1&email=ada%2Bx%40example.org';
  expect(fill('https://calendly.com/anna/call')).toBe(
    `https://calendly.com/anna/call?${typed}&utm_content=${lead}`,
  );
  const cal = `https://cal.com/anna?month=5&${typed}&metadata%5Blead%5D=${lead}`;
  expect(fill('https://cal.com/anna?month=5')).toBe(cal);
  expect(fill(cal)).toBe(cal);
  expect(fill('https://notcalendly.com/')).toContain('metadata');
});
