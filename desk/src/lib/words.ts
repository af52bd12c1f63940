/** Numbers and names inside sentences. */

const small = 'no one two three four five six seven eight nine ten eleven twelve'.split(' ');

/** "seven", "13" */
export const inWords = (n: number): string => small[n] ?? n.toLocaleString('en');

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The same, unless it begins with an address. */
export const sentence = (text: string): string => (/^\S*[.:/]\S/.test(text) ? text : capital(text));

/** "1 page", "3 pages" */
export const plural = (n: number, one: string, many = `${one}s`): string =>
  `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** "a, b and c" */
export function list(words: string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** What one calls somebody: "Ada" for "Ada Byron", but all of "Dr. Ada Byron". */
export function firstName(name: string): string {
  const first = name.trim().split(/\s+/)[0] ?? '';
  return first.length < 2 || first.endsWith('.') ? name.trim() : first;
}

/** "4.2 MB" */
export function size(bytes: number): string {
  if (bytes < 1000) return plural(bytes, 'byte');
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, 'kB'] : [bytes / 1e6, 'MB'];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}
