/**
 * When the site is built: a coming day's posts wait, and `security.txt` ends a year later. Who builds a
 * package says when its commit was made, in the variable that all such tools know: every build of it has
 * the same bytes, on whatever day.
 */
export function buildDate(): Date {
  const seconds = process.env.SOURCE_DATE_EPOCH;
  return seconds ? new Date(Number(seconds) * 1000) : new Date();
}
