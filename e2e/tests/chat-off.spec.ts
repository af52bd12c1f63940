/** Without a project there is no third party: not in a request, not in a policy. */
import { hydrated } from '../support/page.ts';
import { pages } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const routes = [...pages, '/nowhere', '/blog/nowhere'];

for (const route of routes) {
  test(`${route} asks nobody but its own server`, async ({ page, app, problems }) => {
    if (route.endsWith('nowhere')) problems.expect(/404/);
    const elsewhere: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'data:' && origin !== app.url) elsewhere.push(request.url());
    });
    const answer = await page.goto(route);
    await hydrated(page);
    await page.waitForLoadState('networkidle');
    expect(elsewhere).toEqual([]);
    const policy = answer?.headers()['content-security-policy'] ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('//');
    await expect(page.locator('meta[name="chat"], #voiceflow-chat')).toHaveCount(0);
  });
}
