/** Numbers and names inside sentences. */

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
