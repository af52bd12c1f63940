/** Accessibility rules of WCAG 2.0 to 2.2, A and AA, and good practice beyond them. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const all = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export async function expectAccessible(page: Page, where: string, rules = all) {
  // In one pass: the other mode is for frames of other origins, and opens one more page each time.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode()
    // Styles are in the page: there is nothing to fetch for the rules.
    .options({ runOnly: rules, resultTypes: ['violations'], preload: false })
    .analyze();
  const found = violations.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)}`),
  );
  expect(found, where).toEqual([]);
}
