/** Sentences of the specification and its decisions that no other file here asks about. */
import type { Locator } from '@playwright/test';
import { fadeInThreshold } from '../../web/src/lib/reveal.ts';
import { withMotion } from '../support/browser.ts';
import { jumpTo, observed, open } from '../support/page.ts';
import { expect, test } from '../support/test.ts';

test.use(withMotion);

test('How It Works is a heading of its own', async ({ page }) => {
  await page.goto('/');
  await expect(
    page.getByRole('heading', { level: 2, name: 'How It Works', exact: true }),
  ).toHaveText('How It Works');
});

test('on a phone the headline is plain, and the rest of the hero arrives in sequence', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/');
  const hero = page.locator('main section').first();
  const motion = (element: Locator) =>
    element.evaluate((node) => {
      const { animationName, animationDelay } = getComputedStyle(node);
      return { moves: animationName !== 'none', delay: Number.parseFloat(animationDelay) };
    });
  for (const word of await hero.locator('h1 span').all()) {
    expect((await motion(word)).moves).toBe(false);
  }
  const booking = hero.getByRole('link', { name: 'Book Your Free Strategy Call' });
  const steps = [
    await motion(hero.getByText('Launch in days', { exact: false })),
    await motion(booking.locator('..')),
    await motion(hero.locator('ul')),
  ];
  expect(steps.map(({ moves }) => moves)).toEqual([true, true, true]);
  const delays = steps.map(({ delay }) => delay);
  expect(delays).toEqual([...new Set(delays)].toSorted((a, b) => a - b));
});

test('pictures and list items fade in from a tenth of them', async ({ page }) => {
  await open(page, '/services');
  await page.evaluate(() => void Object.assign(document.documentElement.dataset, { whole: '' }));
  const section = page.locator('section#business-automation');
  for (const single of [
    section.locator('[data-fade]', { has: page.locator('> img') }),
    section.locator('li').last(),
  ]) {
    await expect(single).toHaveAttribute('data-fade', String(fadeInThreshold));
    await expect(single).toHaveAttribute('data-reveal', 'hidden');
    // Where it will stand once all has arrived: a little of it on screen, or none.
    const show = async (part: number) => {
      const top = await single.evaluate((node, share) => {
        const { top: y, height } = node.getBoundingClientRect();
        // The section around it may still be on its way, too.
        let moved = 0;
        for (let at: Element | null = node; at; at = at.parentElement) {
          moved += new DOMMatrix(getComputedStyle(at).transform).f;
        }
        return Math.ceil(scrollY + y - moved + share * height - innerHeight);
      }, part);
      await jumpTo(page, top);
      await observed(single);
    };
    await show(-0.05);
    await expect(single).toHaveAttribute('data-reveal', 'hidden');
    await show(0.9);
    await expect(single).toHaveAttribute('data-reveal', 'shown');
    await expect(single).toHaveCSS('opacity', '1');
  }
});

test('the contact form says why it keeps a message', async ({ page }) => {
  for (const path of ['/', '/contact']) {
    await page.goto(path);
    await expect(page.locator('main form'), path).toContainText(
      'We keep your message so we can answer it, and note how you found us to learn what brings people here.',
    );
  }
});
