/** Going from page to page: by links, back and forward, without loading a new document. */
import type { APIRequestContext, Page, Request } from '@playwright/test';
import {
  alive,
  jumpTo,
  markDocument,
  noteOwnScrolls,
  open,
  ownScrolls,
  pressReady,
  sameDocument,
  scrollY,
  settled,
} from '../support/page.ts';
import { navigation } from '../support/routes.ts';
import { expect, test } from '../support/test.ts';

const bar = (page: Page) =>
  page.locator('header').getByRole('navigation', { name: 'Main menu' }).first();
const barLink = (page: Page, name: string) => bar(page).getByRole('link', { name, exact: true });

/** Everything in the head that belongs to the page, as plain text in a fixed order. */
const headData = (page: Page) => page.evaluate(readHead, '');

/** The same of another page as it is served. Its styles are not this page's: the policy minds. */
async function servedHead(page: Page, request: APIRequestContext, path: string) {
  const html = await (await request.get(path)).text();
  const [head = ''] = html.replaceAll(/<style.*?<\/style>/gs, '').split('</head>');
  return page.evaluate(readHead, head);
}

/** Runs in the browser. */
function readHead(html: string) {
  const parsed = html ? new DOMParser().parseFromString(html, 'text/html') : document;
  const tags = parsed.head.querySelectorAll(
    'title, meta[name], meta[property], link[rel=canonical], script[type="application/ld+json"]',
  );
  return [...tags].map((tag) => tag.outerHTML).toSorted();
}

test('the bar has the six links and marks the current one', async ({ page }) => {
  for (const { name, path } of navigation) {
    await page.goto(path);
    const links = bar(page).getByRole('link');
    await expect(links).toHaveText(navigation.map((entry) => entry.name));
    for (const [index, entry] of navigation.entries()) {
      await expect(links.nth(index)).toHaveAttribute('href', entry.path);
    }
    const current = bar(page).locator('[aria-current=page]');
    await expect(current).toHaveText([name]);
    const other = links.nth(name === 'Home' ? 1 : 0);
    const look = (element: Element) => {
      const { color, backgroundColor, boxShadow } = getComputedStyle(element);
      return {
        color,
        backgroundColor,
        boxShadow,
        after: getComputedStyle(element, '::after').content,
      };
    };
    expect(await current.evaluate(look), name).not.toEqual(await other.evaluate(look));
  }
});

test('links change the page without loading a document, and its head is as served', async ({
  page,
  request,
}) => {
  await open(page, '/');
  await markDocument(page);
  for (const { name, path } of [...navigation.slice(1), ...navigation.slice(0, 1)]) {
    await barLink(page, name).click();
    await expect(page).toHaveURL(path);
    await expect(bar(page).locator('[aria-current=page]')).toHaveText(name);
    expect(await sameDocument(page), path).toBe(true);
    expect(await headData(page), path).toEqual(await servedHead(page, request, path));
  }
});

test('a client navigation moves focus to the content and announces the new title', async ({
  page,
}) => {
  await open(page, '/');
  await barLink(page, 'About').click();
  await expect(page.locator('#main')).toBeFocused();
  await expect(page.locator('[aria-live=polite][role=status]').last()).toHaveText(
    await page.title(),
  );
  await expect(page).toHaveTitle(/About/);
});

test('back and forward show the right page, from its top, in the same document', async ({
  page,
}) => {
  await open(page, '/');
  await markDocument(page);
  await barLink(page, 'Services').click();
  await expect(page.locator('h1')).toHaveText('More customers, less busywork');
  await barLink(page, 'Contact').click();
  await expect(page).toHaveTitle(/Contact/);
  await jumpTo(page, 500);
  await page.goBack();
  await expect(page).toHaveURL('/services');
  await expect(page).toHaveTitle(/Services/);
  await expect.poll(() => scrollY(page)).toBe(0);
  await page.goForward();
  await expect(page).toHaveTitle(/Contact/);
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await sameDocument(page)).toBe(true);
});

test('a link is fetched when the pointer rests on it, before any click', async ({ page }) => {
  await open(page, '/');
  const fetched: Request[] = [];
  page.on('request', (request) => {
    if (request.url().endsWith('/about')) fetched.push(request);
  });
  await barLink(page, 'About').hover();
  await expect.poll(() => fetched.length).toBe(1);
  await (await fetched[0]?.response())?.finished();
  await settled(page);
  await barLink(page, 'About').click();
  await expect(page).toHaveTitle(/About/);
  expect(fetched).toHaveLength(1);
});

test('a page that was made ready ahead is there in the next frame, with reduced motion at once', async ({
  page,
}) => {
  await open(page, '/');
  const shown = await pressReady(page, 'About');
  expect(shown).toEqual({ heading: 'Big-company tools, small-business sense', fades: 0 });
});

test('a page shown again is as it was served', async ({ page }) => {
  await open(page, '/about');
  await barLink(page, 'Contact').click();
  await expect(page).toHaveTitle(/Contact/);
  await page.locator('main h1').evaluate((heading) => heading.remove());
  await barLink(page, 'About').click();
  await expect(page).toHaveTitle(/About/);
  await barLink(page, 'Contact').click();
  await expect(page).toHaveTitle(/Contact/);
  await expect(page.locator('main h1')).toBeVisible();
});

test('with reduced motion a route change is at the top at once', async ({ page }) => {
  await open(page, '/terms');
  await jumpTo(page, 1200);
  await noteOwnScrolls(page);
  await barLink(page, 'Services').click();
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await ownScrolls(page)).toEqual([0]);
});

test('a link to the page one is on goes to its top without a load', async ({ page }) => {
  await open(page, '/services');
  await markDocument(page);
  await jumpTo(page, 900);
  await barLink(page, 'Services').click();
  await expect.poll(() => scrollY(page)).toBe(0);
  expect(await sameDocument(page)).toBe(true);
});

test('a page that cannot be fetched is loaded as a document', async ({ page, problems }) => {
  problems.expect(/Failed to load resource/);
  await open(page, '/');
  await markDocument(page);
  await page.route('**/about', (route) =>
    route.request().isNavigationRequest() ? route.continue() : route.abort(),
  );
  await barLink(page, 'About').click();
  await expect(page.locator('h1')).toHaveText('Big-company tools, small-business sense');
  await expect(page).toHaveURL('/about');
  await alive(page);
  expect(await sameDocument(page)).toBe(false);
});

test('a page of another release is loaded as a document', async ({ page }) => {
  await open(page, '/');
  await markDocument(page);
  await page.route('**/about', async (route) => {
    if (route.request().isNavigationRequest()) return route.continue();
    const response = await route.fetch();
    const body = (await response.text()).replace(
      /name="release" content="[^"]*"/,
      'name="release" content="next"',
    );
    await route.fulfill({ response, body });
  });
  await barLink(page, 'About').click();
  await expect(page.locator('h1')).toHaveText('Big-company tools, small-business sense');
  await alive(page);
  expect(await sameDocument(page)).toBe(false);
});

test('an unknown post behind a link inside the site still gets the page that says so', async ({
  page,
  problems,
}) => {
  problems.expect(/status of 404/);
  await open(page, '/blog');
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = '/blog/no-such-post';
    link.textContent = 'broken link';
    document.querySelector('main h1')?.append(link);
  });
  await page.getByRole('link', { name: 'broken link' }).click();
  await expect(page.locator('h1')).toHaveText('Blog Post Not Found');
});

test('the bar is clear up to 10 px, solid with a shadow beyond, and clear again', async ({
  page,
}) => {
  await open(page, '/');
  const bar = page.locator('header');
  const clear = async () => {
    await expect(bar).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    await expect(bar).toHaveCSS('box-shadow', 'none');
  };
  await expect(bar).toHaveCSS('position', 'fixed');
  await clear();
  await jumpTo(page, 10);
  await clear();
  await jumpTo(page, 11);
  await expect(bar).not.toHaveCSS('box-shadow', 'none');
  // Solid: what lies behind may shine through a little, no more.
  await expect
    .poll(() =>
      bar.evaluate((element) => {
        const color = getComputedStyle(element).backgroundColor;
        const [, alpha] = /[,/]\s*([\d.]+)\)$/.exec(color) ?? [];
        return color.startsWith('rgb(') ? 1 : Number(alpha);
      }),
    )
    .toBeGreaterThan(0.85);
  await jumpTo(page, 0);
  await clear();
});

test('a page opened further down has a solid bar from the start', async ({ page }) => {
  await open(page, '/services#automation');
  await expect(page.locator('header')).not.toHaveCSS('box-shadow', 'none');
});

test('where the bar is narrowest nothing in it is squeezed', async ({ page }) => {
  const widths = async (screen: number) => {
    await page.setViewportSize({ width: screen, height: 900 });
    return page.locator('header').evaluate((header) => {
      const parts = [...header.querySelectorAll('a, button')].map((part) =>
        part.getBoundingClientRect(),
      );
      return parts.map(({ width, height }) => [width, height]);
    });
  };
  await open(page, '/');
  const roomy = await widths(1440);
  expect(await widths(960)).toEqual(roomy);
});
