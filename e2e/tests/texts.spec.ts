/** The words, links and figures the specification asks for, page by page. */
import type { Locator } from '@playwright/test';
import { navigation, postSlugs } from '../support/routes.ts';
import { site } from '../support/site.ts';
import { expect, test } from '../support/test.ts';

// What is served, before any script.
test.use({ javaScriptEnabled: false });

/** Leads to the scheduling page in a new tab, and says so to assistive technology. */
async function expectBooking(link: Locator) {
  await expect(link).toBeVisible();
  await expect(link).toHaveAttribute('href', site.booking_url);
  await expect(link).toHaveAttribute('target', '_blank');
  await expect(link).toHaveAttribute('rel', /\bnoopener\b/);
  await expect(link).toHaveAccessibleDescription(/new tab/);
}

/** Selectors, and what they find: how many, or with which texts. */
const words: Record<string, [string, number | string | RegExp | (string | RegExp)[]][]> = {
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
    ['head meta[name=robots][content*=noindex]', 1],
    ...['/', '/services', '/contact'].map((href): [string, number] => [
      `main a[href="${href}"]:visible`,
      1,
    ]),
  ],
  '/blog/no-such-post': [
    ['h1', 'Blog Post Not Found'],
    ['xpath=//title[contains(., "Blog Post Not Found")]', 1],
    ['head meta[name=robots][content*=noindex]', 1],
    ['main a[href="/blog"]', 'Return to Blog'],
  ],
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

test('every page has the words, links and figures that the specification names', async ({
  page,
  problems,
}) => {
  problems.expect(/status of 404/);
  for (const [path, all] of Object.entries(words)) {
    await page.goto(path);
    for (const [selector, found] of all) {
      const element = expect.soft(page.locator(selector), `${selector} on ${path}`);
      await (typeof found === 'number' ? element.toHaveCount(found) : element.toHaveText(found));
    }
  }
});

test('every booking button opens the scheduling page in a new tab', async ({ page, context }) => {
  await context.route(`${site.booking_url}**`, (route) => route.fulfill({ body: 'booked' }));
  const buttons = [
    { path: '/', within: 'main', name: 'Book Your Free Strategy Call', count: 1 },
    { path: '/pricing', within: 'main article', name: 'Book Free Strategy Call', count: 4 },
    { path: '/about', within: 'footer', name: 'Book a Free Strategy Call', count: 1 },
    { path: '/contact', within: 'main', name: 'Book Your Free Strategy Call', count: 1 },
  ];
  for (const { path, within, name, count } of buttons) {
    await page.goto(path);
    const links = page.locator(within).getByRole('link', { name, exact: true });
    await expect(links, path).toHaveCount(count);
    for (const link of await links.all()) await expectBooking(link);
    const opened = context.waitForEvent('page');
    await links.first().click();
    const tab = await opened;
    await expect(tab).toHaveURL(site.booking_url);
    expect(await tab.evaluate(() => window.opener)).toBeNull();
    await tab.close();
    await expect(page).toHaveURL(path);
  }
});

test('each post has its parts, and the posts form a chain of previous and next', async ({
  page,
}) => {
  await page.goto('/blog');
  const newestFirst = await page
    .locator('main article h2 a')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href') ?? ''));
  expect(newestFirst.toSorted()).toEqual(postSlugs.map((slug) => `/blog/${slug}`).toSorted());
  for (const [index, path] of newestFirst.entries()) {
    await page.goto(path);
    const article = page.locator('main article');
    const back = article.getByRole('link', { name: 'Back to Blog', exact: true });
    await expect(back, path).toHaveAttribute('href', '/blog');
    await expect(article.locator('ul').first().locator('li').first(), path).toHaveText(/\S/);
    await expect(article, path).toContainText(`The ${site.name} team`);
    await expect(article.locator('time'), path).toHaveAttribute('datetime', /^\d{4}-\d\d-\d\d$/);
    const words = ((await article.textContent()) ?? '').split(/\s+/).length;
    expect(words, path).toBeGreaterThan(600);
    const booking = article.getByRole('link', { name: /Book .*Free Strategy Call/ });
    await expect(booking, path).toBeVisible();
    for (const [rel, target] of [
      ['prev', newestFirst[index + 1]],
      ['next', newestFirst[index - 1]],
    ]) {
      const link = page.locator(`main a[rel=${rel}]`);
      if (target) await expect(link, `${rel} of ${path}`).toHaveAttribute('href', target);
      else await expect(link, `${rel} of ${path}`).toHaveCount(0);
    }
  }
});

test('the footer has exactly its links, the contact facts and the year of the build', async ({
  page,
}) => {
  await page.goto('/pricing');
  const footer = page.locator('footer');
  const hrefs = (name: string) =>
    footer
      .getByRole('navigation', { name, exact: true })
      .getByRole('link')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  const quick = navigation.filter(({ name }) => name !== 'Pricing').map(({ path }) => path);
  expect(await hrefs('Quick links')).toEqual(quick);
  expect(await hrefs('Services')).toEqual([
    '/services#websites',
    '/services#chatbots',
    '/services#automation',
  ]);
  const links = {
    'Privacy Policy': '/privacy',
    'Terms of Service': '/terms',
    Twitter: site.social.twitter,
    LinkedIn: site.social.linkedin,
    Instagram: site.social.instagram,
    [site.phone]: `tel:${site.phone.replace(/[^+\d]/g, '')}`,
    [site.email]: `mailto:${site.email}`,
  };
  for (const [name, href] of Object.entries(links))
    await expect(footer.getByRole('link', { name }), name).toHaveAttribute('href', href);
  await expect(footer.locator('a[target=_blank]:not([rel~=noopener])')).toHaveCount(0);
  await expect(footer).toContainText(site.location);
  // The year of the build, which may have been last year.
  await expect(footer).toContainText(/© 20\d\d /);
  await expect(footer).toContainText(` ${site.name}`);
});
