/**
 * Tells the server what only the browser knows of a visit: that its first page was in view, that the contact form was begun,
 * that a booking link was pressed. Nothing identifies the visitor, and nothing is stored (docs/numbers.md).
 */
import { readSettings } from '../lib/settings.ts';

/** How long the page must be in view, in seconds. */
const seenAfter = 5;

export function countVisit() {
  if (readSettings().uncounted) return;
  // Read now: another page may have replaced this one by the time something is reported.
  const { host, pathname, search } = location;
  const referrer = document.referrer.split('/')[2];
  const query = `r=${referrer ?? ''}&${/utm_campaign=[^&]*/.exec(search) ?? ''}`;
  const report = (what: string) => navigator.sendBeacon(`/api/visits/${what}?${query}`, pathname);

  // A page that was opened from another page of the site is part of that visit.
  if (referrer !== host) {
    let secondsLeft = seenAfter;
    const timer = setInterval(() => {
      if (document.hidden || --secondsLeft) return;
      clearInterval(timer);
      report('seen');
    }, 1_000);
  }

  let isStarted = false;
  addEventListener('input', ({ target }) => {
    if (isStarted || !(target as Element).closest('[data-draft]')) return;
    isStarted = true;
    report('form');
  });
  addEventListener('click', ({ target }) => {
    if ((target as Element).closest('[data-booking]')) report('booking');
  });
}
