/** What a page's script reports about a visit, and that it stores nothing to do so. */
import type { Page } from '@playwright/test';
import { ContactForm, messages, someWords } from '../support/contact-form.ts';
import { site } from '../support/site.ts';
import { test as base, expect } from '../support/test.ts';

/** The tests' browser says that it is a program, which isn't counted. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';

/** What the pages of a context have told: kind, query and path. */
const test = base.extend<{ told: string[] }>({
  told: async ({ context }, use) => {
    const told: string[] = [];
    context.on('request', (request) => {
      const [, said] = request.url().split('/api/visits/');
      if (said) told.push(`${said} ${request.postData()}`);
    });
    await use(told);
  },
});
test.use({ userAgent });

/** Everything that a page could leave in the browser. */
const kept = async (page: Page) => ({
  cookies: await page.context().cookies(),
  ...(await page.evaluate(async () => ({
    local: Object.keys(localStorage),
    session: Object.keys(sessionStorage).sort(),
    databases: await indexedDB.databases(),
    caches: await caches.keys(),
  }))),
});

const counts = {
  requested: 1,
  seen: 1,
  form_started: 1,
  leads: 0,
  answered: 0,
  booked: 0,
  booking_presses: 1,
};

test('a visit is told as seen, begun and pressed, once, and leaves nothing in the browser', async ({
  page,
  context,
  startApp,
  told,
}) => {
  const app = await startApp();
  await context.route(`${site.booking_url}**`, (route) => route.fulfill({ body: 'booked' }));
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  const open = async (opened: Page) => expect(opened.locator('html[data-alive]')).toBeAttached();
  await page.goto(`${app.url}/contact?private=1&utm_campaign=fall%20sale`, {
    referer: 'https://www.news.example/article?private=1',
  });
  await open(page);
  await page.clock.runFor(4_000);
  expect(told).toEqual([]);
  const about = '?r=www.news.example&utm_campaign=fall%20sale /contact';
  await page.clock.runFor(1_000);
  await expect.poll(() => told).toEqual([`seen${about}`]);

  await page.getByLabel('Name').first().pressSequentially('Ada');
  const tab = context.waitForEvent('page');
  await page.getByRole('main').locator('[data-booking]').first().click();
  await (await tab).close();
  const all = ['seen', 'form', 'booking'].map((kind) => kind + about);
  await expect.poll(() => told).toEqual(all);

  const inside = context.waitForEvent('page');
  await page.evaluate(() => void window.open('/about'));
  await open(await inside);
  await page.clock.runFor(60_000);
  expect(told).toEqual(all);
  // What the contact form keeps in the tab, as the privacy policy says; nothing else.
  const session = ['draft-contact', 'first-touch', 'landing'];
  const nothing = { cookies: [], local: [], databases: [], caches: [] };
  expect(await kept(page)).toEqual({ ...nothing, session });

  const stats = async () => JSON.parse(await app.command('stats', '--by', 'source', '--json'));
  await expect.poll(async () => (await stats()).totals).toEqual(counts);
  expect((await stats()).by).toEqual([{ name: 'news.example', ...counts }]);
});

test('a page tells nothing when counting is off', async ({ page, startApp, told }) => {
  const app = await startApp({ FRONTDOOR_COUNT: 'off' });
  const form = new ContactForm(page);
  await form.open(`${app.url}/contact`);
  await form.send(someWords());
  await expect(form.status).toHaveText(messages.sent);
  expect(told).toEqual([]);
});
