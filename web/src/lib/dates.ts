/** "November 5, 2026": a day has no time zone, so none may move it. */
const long = new Intl.DateTimeFormat('en-CA', { dateStyle: 'long', timeZone: 'UTC' });

export const longDate = (day: string): string => long.format(new Date(`${day}T00:00:00Z`));
