/** Numbers, names and times in words; times in the time zone of the site. */

/** "4,812" */
export const number = (n: number): string => n.toLocaleString('en');

const small = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** "seven", "13" */
export const inWords = (n: number): string => small[n] ?? number(n);

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** "1 page", "3 pages" */
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${number(n)} ${n === 1 ? one : many}`;

/** How to address somebody: "Ada" for "Ada Byron", but all of "Dr. Ada Byron". */
export function firstName(name: string): string {
  const first = name.trim().split(/\s+/)[0] ?? '';
  return first.length < 2 || first.endsWith('.') ? name.trim() : first;
}

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

const justIn = 10 * minute;

/** "38 min left", "2 h late": minutes below one hour, then whole hours, then days. */
export function timeLeft(due: number, now: number, created = Number.NEGATIVE_INFINITY): string {
  if (due < now) return `${duration(now - due)} late`;
  return now - created < justIn ? 'Just in' : `${duration(due - now)} left`;
}

export function duration(ms: number): string {
  if (ms < hour) return `${Math.max(1, Math.floor(ms / minute))} min`;
  if (ms < 2 * day) return `${Math.floor(ms / hour)} h`;
  return `${Math.floor(ms / day)} days`;
}

/** "just now", "2 min ago". `at` is by the browser's clock. */
export function ago(at: number): string {
  const passed = Date.now() - at;
  return passed < minute ? 'just now' : `${duration(passed)} ago`;
}

/** "4 h 18 min", "4 h", "18 min" */
export function hoursAndMinutes(ms: number): string {
  const hours = Math.floor(ms / hour);
  const minutes = Math.floor((ms % hour) / minute);
  if (hours === 0) return `${minutes} min`;
  return minutes > 0 ? `${hours} h ${minutes} min` : `${hours} h`;
}

export const untilCall = (ms: number): string => (ms < 0 ? 'started' : `in ${hoursAndMinutes(ms)}`);

type Parts = Record<'weekday' | 'day' | 'month' | 'year' | 'hour' | 'minute', string>;

const formats = new Map<string, Intl.DateTimeFormat>();
/** Every render of a list formats the same minutes, and formatting is slow. */
const cache = new Map<string, Parts>();
const cacheSize = 2000;

/** "Wednesday", "18", "November", "2026", "09", "46" */
export function timeParts(at: number, zone: string): Parts {
  const key = `${Math.floor(at / minute)} ${zone}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'short' });
  formats.set(zone, format);
  const parts = format.formatToParts(at).map(({ type, value }) => [type, value]);
  const result: Parts = Object.fromEntries(parts);
  if (cache.size > cacheSize) cache.clear();
  cache.set(key, result);
  return result;
}

export function clockTime(at: number, zone: string): string {
  const { hour, minute } = timeParts(at, zone);
  return `${hour}:${minute}`;
}

const midnight = ({ day, month, year }: Parts) => Date.parse(`${day} ${month} ${year} UTC`);

/** A time as it reads from now, in the zone of the site. */
export function timeWords(at: number, now: number, zone: string) {
  const parts = timeParts(at, zone);
  const today = timeParts(now, zone);
  const daysAgo = Math.round((midnight(today) - midnight(parts)) / day);
  const isToday = daysAgo === 0;
  const clock = clockTime(at, zone);
  const weekday = parts.weekday.slice(0, 3);
  const year = parts.year === today.year ? '' : ` ${parts.year}`;
  const date = `${parts.day} ${parts.month.slice(0, 3)}${year}`;
  return {
    isToday,
    clock,
    /** "14 May", and with the year where it is another one. */
    date,
    /** "10:38", "Tue 09:46", "14 May": as short as possible. */
    short: isToday ? clock : Math.abs(daysAgo) < 7 ? `${weekday} ${clock}` : date,
    /** "08:40 today", "Tue 17 Nov, 08:40". */
    full: isToday ? `${clock} today` : `${weekday} ${date}, ${clock}`,
  };
}

/** "2026-11-18T10:42", as a field for day and time has it. */
export const fieldTime = (at: number, zone: string): string =>
  // Swedish dates are written year first, like those of the field.
  new Date(at)
    .toLocaleString('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    .replace(' ', 'T');
