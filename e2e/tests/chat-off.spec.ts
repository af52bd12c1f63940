/** Without a project there is no third party: not in a request, not in a policy. */
import { open, settled } from '../support/page.ts';
import { pages } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const routes = [...pages, '/nowhere', '/blog/nowhere'];

for (const route of routes) {
  test(`${route} asks nobody but its own server`, async ({ page, app, problems }) => {
    if (route.endsWith('nowhere')) problems.expect(/404/);
    const elsewhere: string[] = [];
    const policies: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== app.url) elsewhere.push(request.url());
    });
    page.on('response', (answer) => {
      const policy = answer.headers()['content-security-policy'];
      if (policy && answer.request().isNavigationRequest()) policies.push(policy);
    });
    await open(page, route);
    // The pictures further down are asked for when they come near.
    await page.evaluate(() => window.scrollTo({ top: 99_999, behavior: 'instant' }));
    await page.waitForFunction(() => [...document.images].every((image) => image.complete));
    await settled(page);
    expect(elsewhere).toEqual([]);
    expect(policies).toEqual([expect.stringContaining("default-src 'none'")]);
    // A hash may hold two slashes; an address has a dot or a colon.
    expect(policies.join()).not.toMatch(/[.:*]|unsafe-inline/);
    await expect(page.locator('meta[name="settings"], #voiceflow-chat')).toHaveCount(0);
  });
}
