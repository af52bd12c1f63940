import { expect, it } from 'vitest';
import { type InboxPages, stillMatching } from './queries.ts';

const found = (q: string, names: string[], after: string | null = null) => {
  const leads = names.map((name) => ({ name, email: '', excerpt: 'Two Shops', note: null }));
  return { pages: [{ view: 'all', q, after, leads }] } as unknown as InboxPages;
};

it('shows of a longer search what still matches, but never that nothing does before the server says so', () => {
  const narrowed = (before: InboxPages, q: string) => {
    const page = stillMatching(before, 'all', q)?.pages[0];
    return [page?.q, page?.leads.map(({ name }) => name)];
  };
  const both = found('a', ['Ada', 'Alan']);
  expect(narrowed(both, 'ad')).toEqual(['ad', ['Ada']]);
  expect(narrowed(both, 'alan shop')).toEqual(['alan shop', ['Alan']]);
  // A phone number may match, which the list doesn't have.
  expect(narrowed(both, 'a4')).toEqual(['a', ['Ada', 'Alan']]);
  expect(narrowed(found('q', []), 'qq')).toEqual(['qq', []]);
  expect(narrowed(both, 'b')[0]).toBe('a');
  expect(narrowed(found('a', ['Ada'], 'more'), 'ad')[0]).toBe('a');
});
