import { expect, it } from 'vitest';
import { z } from 'zod';
import { fieldsAt, nearest } from './mistakes.ts';

it.each([
  ['headlin', 'headline'],
  ['head', 'head'],
  ['heda', undefined],
  ['hed', 'head'],
  ['pricng.toml', 'pricing.toml'],
  ['surprise', undefined],
  ['', undefined],
])('%s may have meant %s', (written, meant) => {
  expect(nearest(written, ['headline', 'head', 'pricing.toml', 'price'])).toBe(meant);
});

it('a schema tells its fields wherever they are', () => {
  const item = z.strictObject({ name: z.string(), on: z.date().optional() });
  const schema = z.strictObject({
    items: z.array(item).optional(),
    one: z.strictObject({ deep: item }),
  });
  expect(fieldsAt(schema, [])).toEqual(['items', 'one']);
  expect(fieldsAt(schema, ['items', 3])).toEqual(['name', 'on']);
  expect(fieldsAt(schema, ['one', 'deep'])).toEqual(['name', 'on']);
  expect(fieldsAt(schema, ['nowhere', 'at', 'all'])).toEqual([]);
});
