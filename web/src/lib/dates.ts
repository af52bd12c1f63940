/** "November 5, 2026", the same on server and client whatever their time zone. */
export const longDate = (day: string) =>
  new Intl.DateTimeFormat('en-CA', { dateStyle: 'long', timeZone: 'UTC' }).format(
    new Date(`${day}T00:00:00Z`),
  );
