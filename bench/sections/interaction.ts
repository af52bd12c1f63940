/** What a visitor feels once a page is there: taps, clicks, keys, and a page at rest. */
import '../support/release.ts';
import type { Browser, BrowserContextOptions, Locator, Page } from '@playwright/test';
import { App } from '../../e2e/support/app.ts';
import { navigation, postSlugs } from '../../e2e/support/routes.ts';
import { serveAstro } from '../support/astro.ts';
import {
  idle,
  type Load,
  lessMotion,
  mainThreadLoad,
  openReady,
  slowDown,
  startBrowser,
} from '../support/browser.ts';
import {
  answerPainted,
  interaction,
  noteInteractions,
  restTime,
  shortest,
} from '../support/event-timing.ts';
import { median, spread } from '../support/figures.ts';
import type { Goal, Section } from '../support/report.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 7);
const slowness = 4;
const waitLimit = 15_000;
/** Milliseconds from an input to the next paint; some have a limit of their own. */
const inputLimit = 100;
const openMenu = 'open the menu';
/** Pages with the contact form. */
const formPages = ['/', '/contact'];
const firstLetter = (page: string) => `tap the contact form of \`${page}\`, type a first letter`;
const ownLimits = new Map([
  [openMenu, 80],
  ...formPages.map((path) => [firstLetter(path), 50] as const),
]);
/** For comparison; its form wakes once it is scrolled to. */
const astroLetter = `Astro: ${firstLetter('/')}`;
/** Milliseconds from letting go of the pointer to the paint of the next page, at full speed. */
const pageLimit = 60;

const idleRounds = Math.min(rounds, 3);
const restSeconds = 3;
const idleSeconds = 10;
/** How long the pictures of the page move before they come to rest. */
const sceneSeconds = 30;
/** Percent of the main thread. */
const particleLimit = 2;
const nothing = 0.2;

const phone: BrowserContextOptions = {
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};
const desktop: BrowserContextOptions = { viewport: { width: 1440, height: 900 } };
/** Whether to move is left to the browser; by default Playwright decides. */
const systemMotion: BrowserContextOptions = { ...desktop, reducedMotion: null };

/** Rounds of each measurement, under its name. */
type Rounds<T = number> = Map<string, T[]>;

export async function measure(): Promise<Section> {
  const app = await App.start();
  const astro = await serveAstro(app.url);
  const browser = await startBrowser();
  const stillBrowser = await startBrowser(lessMotion);
  try {
    const forms = [
      ...formPages.map((path) => [firstLetter(path), app.url + path] as const),
      [astroLetter, astro.url] as const,
    ];
    const [events, answers, fast]: [Rounds, Rounds, Rounds] = [new Map(), new Map(), new Map()];
    for (let round = 0; round < rounds; round += 1) {
      await inPage(browser, phone, (page) => useMenu(page, app.url, events));
      await inPage(browser, desktop, (page) => useModal(page, app.url, events, answers));
      for (const [name, url] of forms) {
        await inPage(browser, phone, (page) => typeAtOnce(page, url, name, events));
      }
      await inPage(browser, desktop, (page) => goAround(page, app.url, slowness, events, answers));
      await inPage(browser, desktop, (page) => goAround(page, app.url, 1, new Map(), fast));
    }
    const prefetched = await inPage(browser, desktop, (page) => hoverAll(page, app.url));
    const loads: Rounds<Load> = new Map();
    for (let round = 0; round < idleRounds; round += 1)
      await rest(browser, stillBrowser, app.url, loads);
    return {
      title: 'Input and rest',
      method: `Real taps, clicks and keys in Chromium with its CPU slowed down ${slowness} times, ${rounds} rounds, each in a fresh page; the menu and the forms on a phone, all else on a desktop; a pointer rests on its target for ${restTime} ms first. Forms are scrolled to beforehand: ours sleeps until it is touched, that of the home page by Astro (\`client:visible\`, as in the pages' section) wakes then, and is there to compare, without a goal. The next paint is the longest Event Timing entry of an interaction (delay, handlers, paint; rounded to 8 ms by the browser, ${shortest} stands for ${shortest} or less); goals, of opening and going, are judged by the median. What a click asked for may come only after that paint, as it is put in place in steps: the time from letting go of the pointer to the paint of the dialog, or of the new page's h1, is given too, without a goal; at full speed it has one. At rest: the main thread's busy share of ${idleSeconds} s, after ${restSeconds} s without input, at full speed, ${idleRounds} rounds; scrolled to the end, ${sceneSeconds} s more, until the pictures' scenes have played, which keep it busy wherever they are. Waiting for a core counts as busy, so the CPU time stands beside it. Less than ${nothing} % above an empty page counts as none.`,
      tables: [
        {
          title:
            'From an input to the next paint, and to the one that shows what was asked for, ms',
          head: ['interaction', 'next paint', 'answer painted'],
          rows: [...events].map(([name, values]) => [
            name,
            spread(values, 0),
            answers.has(name) ? spread(answers.get(name) ?? [], 0) : '',
          ]),
        },
        {
          title: 'From a press to the next page painted, fetched ahead, at full speed, ms',
          head: ['link', 'painted'],
          rows: [...fast].map(([name, values]) => [name, spread(values, 0)]),
        },
        {
          title: 'Main thread at rest, % busy',
          head: ['page', 'busy', 'CPU time'],
          rows: [...loads].map(([name, values]) => [
            name,
            spread(
              values.map(({ busy }) => busy),
              2,
            ),
            spread(
              values.map(({ computing }) => computing),
              2,
            ),
          ]),
        },
      ],
      goals: [
        ...[...events]
          .filter(([name]) => !name.startsWith('close') && name !== astroLetter)
          .map(([name, values]) => inputGoal(name, values, answers.get(name))),
        nextPageGoal(fast),
        prefetched,
        ...restGoals(loads),
      ],
    };
  } finally {
    await Promise.all([browser.close(), stillBrowser.close(), astro.close()]);
    await app.dispose();
  }
}

function note<T>(into: Rounds<T>, name: string, value: T) {
  into.set(name, [...(into.get(name) ?? []), value]);
}

async function inPage<T>(
  browser: Browser,
  options: BrowserContextOptions,
  work: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(waitLimit);
  try {
    return await work(await context.newPage());
  } finally {
    await context.close();
  }
}

/** At full speed until the page is there: what is measured is what comes after. */
async function openSlow(page: Page, url: string, slower = slowness) {
  await noteInteractions(page);
  await openReady(page, url);
  await slowDown(page, slower);
}

/** Where to press it. Known beforehand: looking for it takes the page time, which is not to be measured. */
async function middleOf(target: Locator): Promise<[number, number]> {
  const box = await target.boundingBox();
  if (!box) throw new Error(`${target} is not to be seen`);
  return [box.x + box.width / 2, box.y + box.height / 2];
}

async function tap(page: Page, target: Locator): Promise<number> {
  const place = await middleOf(target);
  return interaction(page, () => page.touchscreen.tap(...place));
}

async function click(page: Page, target: Locator): Promise<number> {
  const place = await middleOf(target);
  await page.mouse.move(...place);
  return interaction(page, () => page.mouse.click(...place));
}

async function useMenu(page: Page, url: string, events: Rounds) {
  await openSlow(page, url);
  const toggle = page.locator('button[popovertarget=menu]');
  note(events, openMenu, await tap(page, toggle));
  await page.locator('#menu').waitFor({ state: 'visible' });
  note(events, 'close the menu', await tap(page, toggle));
  await page.locator('#menu').waitFor({ state: 'hidden' });
}

async function useModal(page: Page, url: string, events: Rounds, answers: Rounds) {
  await openSlow(page, `${url}/blog`);
  const link = page.locator(`main a[href="/blog/${postSlugs[0]}"]`);
  await link.scrollIntoViewIfNeeded();
  note(events, "open a post's dialog", await click(page, link));
  note(answers, "open a post's dialog", await answerPainted(page));
  const dialog = page.getByRole('dialog');
  await dialog.locator('[data-prose] p').first().waitFor();
  const closed = await interaction(page, () => page.keyboard.press('Escape'));
  note(events, 'close it with Escape', closed);
  await dialog.waitFor({ state: 'hidden' });
}

const barLink = (page: Page, name: string) =>
  page.locator('header nav').first().getByRole('link', { name, exact: true });

/** The form may come to life at the touch; the letter may not wait for it. */
async function typeAtOnce(page: Page, url: string, name: string, events: Rounds) {
  await noteInteractions(page);
  await page.goto(url, { waitUntil: 'networkidle' });
  await slowDown(page, slowness);
  const field = page.locator('form[action="/api/contacts"] [name=name]');
  // What comes near the screen takes its room only then, and moves the form once more.
  for (let time = 0; time < 2; time += 1) {
    await field.scrollIntoViewIfNeeded();
    await idle(page);
  }
  const place = await middleOf(field);
  const tapAndType = async () => {
    await page.touchscreen.tap(...place);
    await page.keyboard.press('a');
  };
  note(events, name, await interaction(page, tapAndType));
  const typed = await field.inputValue();
  if (typed !== 'a') throw new Error(`${name}: "${typed}" was typed`);
}

async function goAround(page: Page, url: string, slower: number, events: Rounds, answers: Rounds) {
  await openSlow(page, url, slower);
  for (const { name, path } of navigation.slice(1)) {
    note(events, `go to ${name}`, await click(page, barLink(page, name)));
    note(answers, `go to ${name}`, await answerPainted(page));
    await page.waitForURL(url + path);
    await idle(page);
  }
}

/** Rests on each link for a moment, then clicks: by then its page must have been asked for, and is not again. */
async function hoverAll(page: Page, url: string): Promise<Goal> {
  let asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const links = navigation.slice(1);
  const early: string[] = [];
  for (const { name, path } of links) {
    await openReady(page, url);
    const started = page.waitForRequest(url + path);
    await barLink(page, name).hover();
    await started;
    await page.waitForTimeout(restTime);
    asked = [];
    await barLink(page, name).click();
    await page.waitForURL(url + path);
    await idle(page);
    if (!asked.includes(url + path)) early.push(name);
  }
  return {
    what: 'a hovered link has its page asked for before the click',
    measured: `${early.length} of ${links.length} links of the bar`,
    met: early.length === links.length,
  };
}

const empty = 'an empty page';
const particles = '`/`, particles on screen';
const scrolled = '`/`, scrolled to its end';
const reduced = '`/`, reduced motion';

async function rest(browser: Browser, stillBrowser: Browser, url: string, loads: Rounds<Load>) {
  const measureAt = async (name: string, inBrowser: Browser, open: Open) => {
    const load = await inPage(inBrowser, systemMotion, async (page) => {
      await open(page);
      await page.waitForTimeout(1000 * restSeconds);
      return mainThreadLoad(page, idleSeconds);
    });
    note(loads, name, load);
  };
  await measureAt(empty, browser, async (page) => void (await page.goto('about:blank')));
  await measureAt(particles, browser, (page) => particlesRunning(page, url));
  await measureAt(scrolled, browser, async (page) => {
    await particlesRunning(page, url);
    await page.keyboard.press('End');
    await page.locator('canvas[data-running=false]').waitFor({ state: 'attached' });
    await page.waitForTimeout(1000 * sceneSeconds);
  });
  await measureAt(reduced, stillBrowser, (page) => openReady(page, url));
}

type Open = (page: Page) => Promise<void>;

async function particlesRunning(page: Page, url: string) {
  await openReady(page, url);
  await page.locator('canvas[data-running=true]').waitFor();
}

const whole = (value: number) => `${Math.round(value)} ms`;

function nextPageGoal(fast: Rounds): Goal {
  const medians = [...fast].map(([name, values]) => ({ name, value: median(values) }));
  const worst = medians.reduce((a, b) => (b.value > a.value ? b : a));
  return {
    what: `the next page, fetched ahead, is painted at most ${pageLimit} ms after the press`,
    measured: `${whole(worst.value)} at worst (${worst.name})`,
    met: worst.value <= pageLimit,
  };
}

function inputGoal(name: string, values: number[], answers: number[] | undefined): Goal {
  const limit = ownLimits.get(name) ?? inputLimit;
  const answered = answers ? `; answer painted after ${whole(median(answers))}` : '';
  return {
    what: `${name}: next paint in at most ${limit} ms`,
    measured: `${whole(median(values))}, ${whole(Math.max(...values))} at worst${answered}`,
    met: median(values) <= limit,
  };
}

function restGoals(loads: Rounds<Load>): Goal[] {
  const middle = (name: string, figure: (load: Load) => number) =>
    median((loads.get(name) ?? []).map(figure));
  const of = (name: string) => middle(name, ({ busy }) => busy);
  const percent = (value: number) => `${value.toFixed(2)} %`;
  const asEmpty = (what: string, name: string): Goal => ({
    what,
    measured: `${percent(of(name))}, an empty page ${percent(of(empty))}`,
    met: of(name) - of(empty) < nothing,
  });
  return [
    {
      what: `particles keep less than ${particleLimit} % of the main thread busy`,
      measured: `${percent(of(particles))}, CPU time ${percent(middle(particles, ({ computing }) => computing))}`,
      met: of(particles) < particleLimit,
    },
    asEmpty('nothing runs when they are off screen and the scenes are over', scrolled),
    asEmpty('nothing runs with reduced motion', reduced),
  ];
}
