import { expect, it } from 'vitest';
import { columnsFor } from './grid.tsx';

const counts = Array.from({ length: 12 }, (_, at) => at + 1);

it.each([3, 4] as const)('no row of up to %d ends in one, whatever the number', (most) => {
  for (const count of counts.slice(1)) {
    const columns = columnsFor(count, most);
    // Rows of three give one up to the last: two and two.
    const rest = count % columns;
    expect(rest !== 1 || columns === 3, `${count} in rows of ${columns}`).toBe(true);
    expect(columns).toBeLessThanOrEqual(most);
  }
  expect(counts.slice(0, most).map((count) => columnsFor(count, most))).toEqual(
    counts.slice(0, most),
  );
});

it('four are two and two, and fill the page', () => {
  expect(columnsFor(4, 3)).toBe(2);
});
