/** Pages as they are served, before any script: all their text shows, with what the specification names, and they work. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { text, unpack } from '../../web/build/pack.ts';
import { frozen } from '../../web/build/testing/frozen.ts';
import { listed, navigation, pages, postSlugs, serviceSections } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

test.use({ javaScriptEnabled: false });

/** Selectors, and what they find: how many, or with which texts. */
type Words = [string, number | string | RegExp | (string | RegExp)[]][];

/** Links, in this order and no other. */
const inOrder = (links: string, hrefs: string[]): Words => [
  [links, hrefs.length],
  ...hrefs.map((href, at): Words[0] => [`:nth-match(${links}, ${at + 1})[href="${href}"]`, 1]),
];

const quickLinks = navigation.filter(({ name }) => name !== 'Pricing').map(({ path }) => path);

const footerLinks = {
  'Privacy Policy': '/privacy',
  'Terms of Service': '/terms',
  Twitter: site.social.twitter,
  LinkedIn: site.social.linkedin,
  Instagram: site.social.instagram,
  [site.phone]: `tel:${site.phone.replace(/[^+\d]/g, '')}`,
  [site.email]: `mailto:${site.email}`,
};

const footer: Words = [
  ...inOrder('footer nav[aria-label="Quick links"] a', quickLinks),
  ...inOrder(
    'footer nav[aria-label="Services"] a',
    serviceSections.map(({ anchor }) => `/services#${anchor}`),
  ),
  ...Object.entries(footerLinks).map(([name, href]): Words[0] => [
    `footer a[href="${href}"]:is([aria-label*="${name}"], :has-text("${name}"))`,
    1,
  ]),
  ['footer a[target=_blank]:not([rel~=noopener])', 0],
  [`footer:has-text("${site.location}")`, 1],
  // The year of the build, which may have been last year.
  ['footer', new RegExp(`© 20\\d\\d ${site.name}`)],
];

const newestFirst = postSlugs.toReversed().map((slug) => `/blog/${slug}`);

const postWords = (at: number): Words => [
  ['main article a[href="/blog"]', 'Back to Blog'],
  ['main article ul >> nth=0 >> li >> nth=0', /\S/],
  ['main article', new RegExp(`The ${site.name} team`)],
  ['main article', /(\S+\s+){600}/],
  ...(['prev', 'next'] as const).flatMap((rel): Words => {
    const neighbour = newestFirst[rel === 'prev' ? at + 1 : at - 1];
    return [
      [`main a[rel=${rel}]`, neighbour ? 1 : 0],
      [`main a[rel=${rel}][href="${neighbour}"]`, neighbour ? 1 : 0],
    ];
  }),
];

const words: Record<string, Words> = {
  '/': [
    ['h1', 'Websites, Chatbots & Automations to Grow Your Business Fast'],
    ['text="Launch in days, capture more leads, and automate your sales process effortlessly"', 1],
    [`main :text-is("${site.tagline}")`, 1],
    ['section:has(h2:text-is("How It Works")) ol > li h3', ['Consult', 'Build', 'Launch & Grow']],
    ['text="Concept project"', 1],
    ['section#contact form [name=form_location][value=homepage]', 1],
  ],
  '/services': [
    ['main section[id]:has(img[alt]:not([alt=""]))', 3],
    ['main section[id] ul', 6],
    ['main section[id] a[href="/contact"]:text-is("Get Started")', 3],
    ['#ai-chatbots', /reduce workload by up to 70%/],
    ['main section >> nth=-1', /Book Your Free Strategy Call/],
  ],
  '/about': [
    ['main', /mission/i],
    ['main :is(h2, h3):text-matches("^(Trust|Innovation|Results)$")', 3],
    ['section:has(h2:text-is("Why Choose Us")) h3', 6],
  ],
  '/contact': [
    ['main', /Monday to Sunday - 24\/7/],
    ['main', /within 24 hours/],
    [`main a[href="mailto:${site.email}"]`, site.email],
    ...Object.values(site.social).map((url): [string, number] => [
      `main a[href="${url}"][target=_blank]:visible`,
      1,
    ]),
    ['main img[alt*=Ontario]', 1],
    ['main details', 6],
    ['main details:has-text("2-4 weeks")', 1],
    ['main form [name=form_location][value=contact]', 1],
    ['main form textarea[name=message][rows="5"]', 1],
    ['main form :is([name=name], [name=email], [name=message])[required]', 3],
    ['main form [name=phone]:not([required])', 1],
  ],
  '/pricing': [
    [
      'main article',
      [
        /AI Chatbot.*Delivered in 3-5 days.*Up to 10 custom Q&As/,
        /Launch Builder.*1-3 pages.*72hr delivery/,
        /Automation Suite.*3-5 page website/,
        /Full Stack.*5\+ automations.*30-day support/,
      ],
    ],
    ['main article:has-text("Custom quote after your call")', 4],
    ...footer,
    ['main', /retainer plans/i],
    ['main', /help choosing/i],
    ['main', /Why Choose/],
    ['main', /^(?!.*\$\s?\d)/s],
  ],
  '/checkout/success': [
    ['h1', 'Payment Successful!'],
    [
      'main ol > li',
      [
        /check your email for confirmation/i,
        /reaches out within 24 hours to schedule .*onboarding/i,
        /implementation/i,
      ],
    ],
    ['main a[href="/"]', 'Return Home'],
  ],
  '/no-such-page?x=1': [
    ['h1', 1],
    ...['/', '/services', '/contact'].map((href): [string, number] => [
      `main a[href="${href}"]:visible`,
      1,
    ]),
  ],
  '/blog/no-such-post': [
    ['h1', 'Blog Post Not Found'],
    ['xpath=//title[contains(., "Blog Post Not Found")]', 1],
    ['main a[href="/blog"]', 'Return to Blog'],
  ],
  '/blog': inOrder('main article h2 a', newestFirst),
  ...Object.fromEntries(newestFirst.map((path, at) => [path, postWords(at)])),
  '/terms': [
    ['h1', 'Terms of Service'],
    ['main', /limited to the amount you paid us in the past 12 months/],
    ['main', /governed by the law of Ontario, Canada/],
    ['main', /children under 13/],
  ],
  '/privacy': [
    ['h1', 'Privacy Policy'],
    ...[/automation/i, /newsletter/i, /chat/i, /delete/i, /outside Canada/i].map(
      (subject): [string, RegExp] => ['main', subject],
    ),
  ],
};

/** Where the booking buttons of the specification stand, their words, and how many there are. */
const bookings: Record<string, [within: string, name: string | RegExp, count: number]> = {
  '/': ['main', 'Book Your Free Strategy Call', 1],
  '/pricing': ['main article', 'Book Free Strategy Call', 4],
  '/about': ['footer', 'Book a Free Strategy Call', 1],
  '/contact': ['main', 'Book Your Free Strategy Call', 1],
  ...Object.fromEntries(
    newestFirst.map((path) => [path, ['main article', /Book .*Free Strategy Call/, 1]]),
  ),
};

/** What a page shows, and what its head tells search engines and others. */
const look = (page: Page) =>
  page.evaluate(() => {
    // An answer waits in its question; everything else is on the page at once.
    const words = document.querySelectorAll(
      'main :is(section, article, h1, h2, h3, p, li):not(details *)',
    );
    const hidden = [...words].filter(
      (element) => !element.checkVisibility({ opacityProperty: true }),
    );
    const late = [...document.querySelectorAll('main > section')].filter(
      (section) => getComputedStyle(section).contentVisibility !== 'visible',
    );
    const meta = [...document.querySelectorAll('head meta[content]')].map((tag) => [
      tag.getAttribute('name') ?? tag.getAttribute('property') ?? '',
      tag.getAttribute('content') ?? '',
    ]);
    return {
      headings: [...document.querySelectorAll('h1')].map(({ textContent }) => textContent ?? ''),
      hidden: hidden.map((element) => element.outerHTML.slice(0, 120)),
      reveals: document.querySelectorAll('[data-reveal]').length,
      late: late.length,
      lang: document.documentElement.lang,
      canonical: document.querySelector('link[rel=canonical]')?.getAttribute('href'),
      title: document.title,
      meta: Object.fromEntries(meta) as Record<string, string>,
    };
  });

test('every page shows all its text, with what the specification names, and facts for search and sharing; nothing waits for a script', async ({
  page,
  context,
  request,
  problems,
}) => {
  problems.expect(/status of 404/);
  await context.route(`${site.booking_url}**`, (route) => route.fulfill({ body: 'booked' }));
  const [titles, descriptions] = [new Set(), new Set()];
  for (const path of new Set([...pages, ...Object.keys(words)])) {
    const answer = await page.goto(path);
    const { title, meta, ...shown } = await look(page);
    const isListed = listed.includes(path);
    expect.soft(shown, path).toEqual({
      headings: [expect.stringMatching(/\S/)],
      hidden: [],
      reveals: 0,
      late: 0,
      lang: 'en-CA',
      canonical: isListed ? site.url + path : undefined,
    });
    expect.soft(meta.robots ?? '', path).toBe(isListed ? '' : 'noindex');
    for (const [selector, found] of words[path] ?? []) {
      const element = expect.soft(page.locator(selector), `${selector} on ${path}`);
      await (typeof found === 'number' ? element.toHaveCount(found) : element.toHaveText(found));
    }
    if (bookings[path]) await canBook(page, path, ...bookings[path]);
    expect.soft(answer?.status(), path).toBe(pages.includes(path) ? 200 : 404);
    if (!pages.includes(path)) continue;
    titles.add(title);
    descriptions.add(meta.description);
    expect.soft(meta, path).toMatchObject({
      'og:title': title,
      'og:description': meta.description,
      'og:url': site.url + path,
      'og:site_name': site.name,
      'og:type': path.startsWith('/blog/') ? 'article' : 'website',
      'og:image': expect.stringContaining(`${site.url}/og/`),
      'twitter:card': 'summary_large_image',
      'twitter:image': meta['og:image'],
    });
    const picture = meta['og:image']?.replace(site.url, '') ?? '';
    const png = await (await request.get(picture)).body();
    expect.soft([png.readUInt32BE(16), png.readUInt32BE(20)], picture).toEqual([1200, 630]);
  }
  expect([titles.size, descriptions.size]).toEqual([pages.length, pages.length]);
  const sitemap = await (await request.get('/sitemap.xml')).text();
  const found = [...sitemap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, address]) => address);
  expect(found.toSorted()).toEqual(listed.map((path) => site.url + path).toSorted());
});

/** The buttons lead to the scheduling page in a new tab, and say so to assistive technology. */
async function canBook(
  page: Page,
  path: string,
  within: string,
  name: string | RegExp,
  count: number,
) {
  const links = page.locator(within).getByRole('link', { name, exact: true });
  await expect(links, path).toHaveCount(count);
  for (const link of await links.all()) {
    await expect(link).toBeVisible();
    await expect(link).toHaveAttribute('href', site.booking_url);
    await expect(link).toHaveAttribute('target', '_blank');
    await expect(link).toHaveAttribute('rel', /\bnoopener\b/);
    await expect(link).toHaveAccessibleDescription(/new tab/);
  }
  const opened = page.context().waitForEvent('page');
  await links.first().click();
  const tab = await opened;
  await expect(tab).toHaveURL(site.booking_url);
  expect(await tab.evaluate(() => window.opener)).toBeNull();
  await tab.close();
  await expect(page).toHaveURL(path);
}

test('links, questions and posts of the list work, and nothing moves for ever', async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.goto('/');
  for (const shape of await page.locator('[data-width]').all())
    await expect(shape).toHaveCSS('animation-play-state', 'paused');
  await expect(page.locator('[data-pause-motion]:visible')).toHaveCount(0);
  await page.locator('header').getByRole('link', { name: 'Pricing', exact: true }).click();
  await expect(page).toHaveURL('/pricing');
  await expect(page.locator('header a[aria-current=page]:visible')).toHaveText('Pricing');
  await page.locator('footer').getByRole('link', { name: 'Chatbots', exact: true }).click();
  await expect(page).toHaveURL('/services#chatbots');
  await expect(page.locator('#ai-chatbots h2')).toBeInViewport();

  await page.goto('/contact');
  const first = page.locator('details').first();
  await expect(first.locator('p')).toBeHidden();
  await first.locator('summary').click();
  await expect(first.locator('p')).toBeVisible();

  await page.goto('/blog');
  await page.locator(`main a[href="/blog/${postSlugs[0]}"]`).click();
  await expect(page).toHaveURL(`/blog/${postSlugs[0]}`);
  await expect(page.locator('h1')).toBeVisible();
});

const checker = fileURLToPath(
  new URL('../html-checker/node_modules/vnu-jar/build/dist/vnu.jar', import.meta.url),
);
type Message = { message: string; url: string; extract?: string };

/** Every page and every template, filled in as the server would. */
async function copyPages(folder: string): Promise<string[]> {
  const files = unpack(await readFile(join(frozen.dist, 'site.pack')));
  await mkdir(folder, { recursive: true });
  return Promise.all(
    files
      .filter(({ kind }) => kind === 'page' || kind === 'template')
      .map(async (file) => {
        const page = text(file)
          .replaceAll(/\{\{\w+_invalid\}\}/g, 'true')
          .replaceAll(/\{\{\w+\}\}/g, 'words')
          // The checker's idea of CSS is years behind; browsers judge the style sheet.
          .replaceAll(/<style.*?<\/style>/gs, '');
        const copy = join(folder, `${file.path.replaceAll('/', '_')}.html`);
        await writeFile(copy, page);
        return copy;
      }),
  );
}

test('every page is valid HTML', async ({ browserName: _ }, testInfo) => {
  const copies = await copyPages(testInfo.outputPath('pages'));
  expect(copies.length).toBeGreaterThan(20);
  // A short run, in which compiling twice and many threads would not pay; the checker needs the stack.
  const quick = ['-Xss4m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const args = [...quick, '-jar', checker, '--errors-only', '--exit-zero-always'];
  const { stderr } = await promisify(execFile)('java', [...args, '--format', 'json', ...copies], {
    maxBuffer: 32 * 1024 * 1024,
  });
  const { messages } = JSON.parse(stderr) as { messages: Message[] };
  const errors = messages.map(
    ({ message, url, extract }) => `${url.split('/').at(-1)}: ${message} ${extract ?? ''}`,
  );
  expect(errors).toEqual([]);
});
