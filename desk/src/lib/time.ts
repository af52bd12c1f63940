/** Times as the owner says them, in the zone of the site. */

export const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

/** A promise this close is due. */
export const dueWithin = 4 * hour;

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

/** "4 h 18 min", "4 h", "18 min" */
export function hoursAndMinutes(ms: number): string {
  const hours = Math.floor(ms / hour);
  const minutes = Math.floor((ms % hour) / minute);
  const parts = [hours > 0 && `${hours} h`, (minutes > 0 || hours === 0) && `${minutes} min`];
  return parts.filter(Boolean).join(' ');
}

/** "in 4 h 18 min". */
export const untilCall = (ms: number): string =>
  ms < 0 ? 'has begun' : `in ${hoursAndMinutes(ms)}`;

const formats = new Map<string, Intl.DateTimeFormat>();
/** A list says the same minutes again with every render, and to format one is slow. */
const known = new Map<string, Record<string, string>>();
const mostKnown = 2000;

function parts(at: number, zone: string): Record<string, string> {
  const key = `${Math.floor(at / minute)} ${zone}`;
  const found = known.get(key);
  if (found) return found;
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-GB', {
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
  }
  const made = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  if (known.size > mostKnown) known.clear();
  known.set(key, made);
  return made;
}

/** "09:46" */
export function clockTime(at: number, zone: string): string {
  const { hour = '', minute = '' } = parts(at, zone);
  return `${hour}:${minute}`;
}

/** "Wednesday 18 November" */
export function longDate(at: number, zone: string): string {
  const { weekday, day, month } = parts(at, zone);
  return `${weekday} ${day} ${month}`;
}

/** "14 May", and with the year where it is another one. */
export function shortDate(at: number, now: number, zone: string): string {
  const { day, month = '', year } = parts(at, zone);
  return `${day} ${month.slice(0, 3)}${year === parts(now, zone).year ? '' : ` ${year}`}`;
}

/** Whole days of the calendar from `at` to `now`, below 0 for what is to come. */
function daysBetween(at: number, now: number, zone: string): number {
  const date = (time: number) => {
    const { day, month, year } = parts(time, zone);
    return Date.parse(`${day} ${month} ${year} UTC`);
  };
  return Math.round((date(now) - date(at)) / day);
}

/** "10:38", "Tue 09:46", "14 May": as short as it can be told. */
export function shortTime(at: number, now: number, zone: string): string {
  const days = daysBetween(at, now, zone);
  if (days === 0) return clockTime(at, zone);
  if (Math.abs(days) >= 7) return shortDate(at, now, zone);
  return `${parts(at, zone).weekday?.slice(0, 3)} ${clockTime(at, zone)}`;
}

/** "Today 09:02", "Tue 17 Nov, 08:40". */
export function fullTime(at: number, now: number, zone: string): string {
  if (daysBetween(at, now, zone) === 0) return `Today ${clockTime(at, zone)}`;
  const weekday = parts(at, zone).weekday?.slice(0, 3);
  return `${weekday} ${shortDate(at, now, zone)}, ${clockTime(at, zone)}`;
}

/** "Today 09:02", "Tue 08:40", "14 May". */
export const recentTime = (at: number, now: number, zone: string): string =>
  isToday(at, now, zone) ? `Today ${clockTime(at, zone)}` : shortTime(at, now, zone);

/** Inside a sentence: "by 08:40 today", "by Tue 17 Nov, 08:40". */
export function byTime(at: number, now: number, zone: string): string {
  return daysBetween(at, now, zone) === 0
    ? `${clockTime(at, zone)} today`
    : fullTime(at, now, zone);
}

/** Minutes since midnight. */
export function minutesOfDay(at: number, zone: string): number {
  const { hour, minute } = parts(at, zone);
  return Number(hour) * 60 + Number(minute);
}

export const isToday = (at: number, now: number, zone: string): boolean =>
  daysBetween(at, now, zone) === 0;
