/** Formats times in the time zone of the site. */

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

/** "in 4 h 18 min". */
export const untilCall = (ms: number): string =>
  ms < 0 ? 'has begun' : `in ${hoursAndMinutes(ms)}`;

type Part = 'weekday' | 'day' | 'month' | 'year' | 'hour' | 'minute';

const formats = new Map<string, Intl.DateTimeFormat>();
/** Every render of a list formats the same minutes, and formatting is slow. */
const cache = new Map<string, Record<Part, string>>();
const cacheSize = 2000;

/** "Wednesday", "18", "November", "2026", "09", "46" */
export function timeParts(at: number, zone: string): Record<Part, string> {
  const key = `${Math.floor(at / minute)} ${zone}`;
  const cached = cache.get(key);
  if (cached) return cached;
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-GB', {
      timeZone: zone,
      weekday: 'long',
      day: 'numeric',
      month: 'long',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
  formats.set(zone, format);
  const parts = format.formatToParts(at).map(({ type, value }) => [type, value]);
  const result: Record<Part, string> = Object.fromEntries(parts);
  if (cache.size > cacheSize) cache.clear();
  cache.set(key, result);
  return result;
}

/** "09:46" */
export function clockTime(at: number, zone: string): string {
  const { hour, minute } = timeParts(at, zone);
  return `${hour}:${minute}`;
}

/** "Wednesday 18 November" */
export function longDate(at: number, zone: string): string {
  const { weekday, day, month } = timeParts(at, zone);
  return `${weekday} ${day} ${month}`;
}

/** "14 May", and with the year where it is another one. */
export function shortDate(at: number, now: number, zone: string): string {
  const { day, month, year } = timeParts(at, zone);
  return `${day} ${month.slice(0, 3)}${year === timeParts(now, zone).year ? '' : ` ${year}`}`;
}

/** Calendar days from `at` to `now`, negative if `at` is in the future. */
function daysBetween(at: number, now: number, zone: string): number {
  const date = (time: number) => {
    const { day, month, year } = timeParts(time, zone);
    return Date.parse(`${day} ${month} ${year} UTC`);
  };
  return Math.round((date(now) - date(at)) / day);
}

export const isToday = (at: number, now: number, zone: string): boolean =>
  daysBetween(at, now, zone) === 0;

/** "10:38", "Tue 09:46", "14 May": as short as possible. */
export function shortTime(at: number, now: number, zone: string): string {
  if (isToday(at, now, zone)) return clockTime(at, zone);
  if (Math.abs(daysBetween(at, now, zone)) >= 7) return shortDate(at, now, zone);
  return `${timeParts(at, zone).weekday.slice(0, 3)} ${clockTime(at, zone)}`;
}

/** "Today 09:02", "Tue 08:40", "14 May". */
export const recentTime = (at: number, now: number, zone: string): string =>
  `${isToday(at, now, zone) ? 'Today ' : ''}${shortTime(at, now, zone)}`;

/** "Today 09:02", "Tue 17 Nov, 08:40". */
export function fullTime(at: number, now: number, zone: string): string {
  if (isToday(at, now, zone)) return recentTime(at, now, zone);
  const weekday = timeParts(at, zone).weekday.slice(0, 3);
  return `${weekday} ${shortDate(at, now, zone)}, ${clockTime(at, zone)}`;
}

/** Inside a sentence: "by 08:40 today", "by Tue 17 Nov, 08:40". */
export const byTime = (at: number, now: number, zone: string): string =>
  isToday(at, now, zone) ? `${clockTime(at, zone)} today` : fullTime(at, now, zone);

/** "2026-11-18T10:42", as a field for day and time has it. */
export const fieldTime = (at: number, zone: string): string =>
  // Swedish dates are written year first, like those of the field.
  new Date(at)
    .toLocaleString('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
    .replace(' ', 'T');

/** Minutes since midnight. */
export function minutesOfDay(at: number, zone: string): number {
  const { hour, minute } = timeParts(at, zone);
  return Number(hour) * 60 + Number(minute);
}
