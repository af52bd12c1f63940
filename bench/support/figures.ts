/** Rounds of one measurement: their median, and how far they lie apart. */

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}

/** "62.1 (58.9 to 64.0)" */
export function spread(values: number[], digits = 1): string {
  const show = (value: number) => value.toFixed(digits);
  return `${show(median(values))} (${show(Math.min(...values))} to ${show(Math.max(...values))})`;
}

/** "1.12x" */
export const times = (ratio: number) => `${ratio.toFixed(2)}x`;
