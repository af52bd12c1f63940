/** What a page sends: the bytes of its answers as they are encoded, headers not counted. */
import type { Page } from '@playwright/test';

export type Weight = { scripts: number; total: number };

/** Milliseconds after which a page has asked for all that it asks for by itself. */
const askTime = 4000;

/** At load, before any touch: even a scroll would have more pictures come. */
export async function weightAtLoad(page: Page, url: string): Promise<Weight> {
  await page.goto(url);
  await page.waitForTimeout(askTime);
  await page.waitForLoadState('networkidle');
  return weight(page);
}

/** Once the contact form of an open page has been touched and has come to life. */
export async function weightAwake(page: Page): Promise<Weight> {
  const form = page.locator('form[action="/api/contacts"]');
  await form.locator('[name=name]').click();
  await form.and(page.locator('[novalidate]')).waitFor();
  await page.waitForLoadState('networkidle');
  return weight(page);
}

const weight = (page: Page): Promise<Weight> =>
  page.evaluate(() => {
    const files = performance.getEntriesByType('resource') as PerformanceResourceTiming[];
    const [document] = performance.getEntriesByType('navigation') as PerformanceResourceTiming[];
    const sum = (some: PerformanceResourceTiming[]) =>
      some.reduce((bytes, { encodedBodySize }) => bytes + encodedBodySize, 0);
    const scripts = sum(files.filter(({ name }) => new URL(name).pathname.endsWith('.js')));
    return { scripts, total: sum(files) + (document?.encodedBodySize ?? 0) };
  });
