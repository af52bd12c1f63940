/** What tests of the drawn scenes share. */
import type { Page } from '@playwright/test';

/** The scenes asked for from now on: asking comes before playing. */
export function noteAsked(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    if (request.resourceType() === 'fetch') asked.push(request.url());
  });
  return asked;
}
