/** The words, links and figures the specification asks for, page by page. */
import type { Locator } from '@playwright/test';
import { navigation, postSlugs, serviceSections } from '../support/routes.ts';
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

test('the home page has headline, subtitle, steps, one showcase and the form', async ({ page }) => {
  await page.goto('/');
  await expect(page.locator('h1')).toHaveText(
    'Websites, Chatbots & Automations to Grow Your Business Fast',
  );
  const subtitle =
    'Launch in days, capture more leads, and automate your sales process effortlessly';
  await expect(page.getByText(subtitle, { exact: true })).toBeVisible();
  await expect(page.getByText(site.tagline, { exact: true }).first()).toBeVisible();
  const hero = page.locator('section', { has: page.locator('h1') });
  expect((await hero.boundingBox())?.height).toBeGreaterThanOrEqual(900);

  const steps = page.locator('section', { hasText: 'How It Works' }).locator('ol > li h3');
  await expect(page.getByRole('heading', { name: 'How It Works', exact: true })).toBeVisible();
  await expect(steps).toHaveText(['Consult', 'Build', 'Launch & Grow']);
  await expect(page.getByText('Concept project', { exact: true })).toHaveCount(1);
  const form = page.locator('section#contact form');
  await expect(form).toHaveCount(1);
  await expect(form.locator('[name=form_location]')).toHaveValue('homepage');
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

test('the services page has features, benefits, a picture and Get Started for each', async ({
  page,
}) => {
  await page.goto('/services');
  for (const { id } of serviceSections) {
    const section = page.locator(`section#${id}`);
    await expect(section.locator('img'), id).toHaveAttribute('alt', /\S/);
    await expect(section.locator('ul'), id).toHaveCount(2);
    const start = section.getByRole('link', { name: 'Get Started', exact: true });
    await expect(start, id).toHaveAttribute('href', '/contact');
  }
  await expect(page.locator('#ai-chatbots')).toContainText('reduce workload by up to 70%');
  await expect(page.locator('main section').last()).toContainText('Book Your Free Strategy Call');
});

test('the about page has a mission, three values and six reasons', async ({ page }) => {
  await page.goto('/about');
  await expect(page.locator('main')).toContainText(/mission/i);
  for (const value of ['Trust', 'Innovation', 'Results']) {
    await expect(page.getByRole('heading', { name: value, exact: true }), value).toHaveCount(1);
  }
  const why = page.locator('section', {
    has: page.getByRole('heading', { name: 'Why Choose Us', exact: true }),
  });
  await expect(why.locator('h3')).toHaveCount(6);
});

test('the contact page has the form, the facts, the networks, six answers and booking', async ({
  page,
}) => {
  await page.goto('/contact');
  const main = page.locator('main');
  await expect(main.getByText('Monday to Sunday - 24/7', { exact: false })).toBeVisible();
  await expect(main.getByText(/within 24 hours/).first()).toBeVisible();
  await expect(main.locator(`a[href="mailto:${site.email}"]`)).toHaveText(site.email);
  for (const url of Object.values(site.social)) {
    await expect(main.locator(`a[href="${url}"][target=_blank]`), url).toBeVisible();
  }
  await expect(main.getByRole('img', { name: /Ontario/ })).toBeVisible();
  await expect(main.locator('details')).toHaveCount(6);
  await expect(main.locator('details', { hasText: '2-4 weeks' })).toHaveCount(1);
  await expect(main.locator('form [name=form_location]')).toHaveValue('contact');
  const message = main.getByRole('textbox', { name: 'Message' });
  await expect(message).toHaveAttribute('rows', '5');
  for (const name of ['name', 'email', 'message']) {
    await expect(main.locator(`form [name=${name}]`), name).toHaveAttribute('required');
  }
  await expect(main.locator('form [name=phone]')).not.toHaveAttribute('required');
});

test('the pricing page has four packages with their figures and no price', async ({ page }) => {
  await page.goto('/pricing');
  const packages: [string, RegExp[]][] = [
    ['AI Chatbot', [/up to 10 custom Q&As/i, /delivered in 3-5 days/i]],
    ['Launch Builder', [/1-3 pages/, /72hr delivery/]],
    ['Automation Suite', [/3-5 page website/]],
    ['Full Stack', [/5\+ automations/, /30-day support/]],
  ];
  await expect(page.locator('main article')).toHaveCount(packages.length);
  for (const [name, figures] of packages) {
    const card = page.locator('article', { has: page.getByRole('heading', { name, exact: true }) });
    for (const figure of figures) await expect(card, name).toContainText(figure);
    await expect(card, name).toContainText('Custom quote after your call');
  }
  const main = page.locator('main');
  await expect(main).toContainText(/retainer plans/i);
  await expect(main).toContainText(/help choosing/i);
  await expect(main).toContainText(/Why Choose/);
  await expect(main).not.toContainText(/\$\s?\d/);
  await expect(main.getByRole('alert')).toHaveCount(0);
});

test('the page after a payment says what happens next', async ({ page }) => {
  await page.goto('/checkout/success');
  await expect(page.locator('h1')).toHaveText('Payment Successful!');
  const steps = page.locator('main ol > li');
  await expect(steps).toHaveCount(3);
  await expect(steps.nth(0)).toContainText(/check your email for confirmation/i);
  await expect(steps.nth(1)).toContainText(/reaches out within 24 hours to schedule .*onboarding/i);
  await expect(steps.nth(2)).toContainText(/implementation/i);
  const home = page.getByRole('link', { name: 'Return Home', exact: true });
  await expect(home).toHaveAttribute('href', '/');
});

test('the terms carry the cap, the law and the age limit; privacy names what is stored', async ({
  page,
}) => {
  await page.goto('/terms');
  await expect(page.locator('h1')).toHaveText('Terms of Service');
  const terms = page.locator('main');
  await expect(terms).toContainText(/limited to the amount you paid us in the past 12 months/);
  await expect(terms).toContainText('governed by the law of Ontario, Canada');
  await expect(terms).toContainText('children under 13');
  await page.goto('/privacy');
  await expect(page.locator('h1')).toHaveText('Privacy Policy');
  for (const subject of [/automation/i, /newsletter/i, /chat/i, /delete/i, /outside Canada/i]) {
    await expect(page.locator('main')).toContainText(subject);
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
