/** "November 5, 2026": a day has no time zone, so none may move it. */
const long = new Intl.DateTimeFormat('en-CA', { dateStyle: 'long', timeZone: 'UTC' });

export const longDate = (day: string): string => long.format(new Date(`${day}T00:00:00Z`));

type Dated = { date: string; updated?: string | undefined };

/** The day on which a post was last changed, or the latest such day of several posts. */
export const changeDate = ({ date, updated }: Dated): string => updated ?? date;
export const lastChange = (posts: Dated[]): string | undefined =>
  posts.map(changeDate).sort().at(-1);
