/** What a page sends to a phone before anyone touches it, and once its contact form is awake. */
import type { BrowserContextOptions, Page } from '@playwright/test';
import { inlineScriptBytes } from './answers.ts';
import { startBrowser } from './browser.ts';
import { Meter } from './meter.ts';

export type Weight = {
  /** Bytes of script in brotli: files, and what stands in the page itself. */
  script: number;
  /** Bytes of everything, headers included. */
  total: number;
  /** Bytes of script once the contact form is awake; not there without a form. */
  awake?: number;
};

/** The phone that Lighthouse pretends to be: its screen decides which pictures come. */
const phone: BrowserContextOptions = {
  viewport: { width: 412, height: 823 },
  deviceScaleFactor: 1.75,
  isMobile: true,
  hasTouch: true,
};

/** Milliseconds in which a page has asked for all that it asks for by itself. */
const askTime = 5000;
const wakeLimit = 15_000;

export const weighing = `Bytes are counted between server and browser, on the phone that Lighthouse pretends to be, ${askTime / 1000} s from the start of a visit with an empty cache, without a touch or a scroll: in all with the headers, the icon and the manifest; scripts by their brotli bytes without headers, those inside the page and those of workers among them. 1 kB is 1000 bytes.`;

/** How a contact form shows that it is awake. */
export const ourForm = '[data-island=contact-form][data-state=awake]';
export const astroForm = 'astro-island:not([ssr])';

export async function weigh(origin: string, path: string, awakeForm: string): Promise<Weight> {
  const meter = await Meter.before(origin);
  const browser = await startBrowser();
  try {
    const page = await browser.newPage(phone);
    const opened = await page.goto(meter.url + path);
    const inline = inlineScriptBytes((await opened?.text()) ?? '');
    await page.waitForTimeout(askTime);
    await fetchManifest(page);
    const script = inline + scriptBytes(meter);
    const total = meter.sent.reduce((sum, { head, body }) => sum + head + body, 0);
    if (!(await wakeForm(page, awakeForm))) return { script, total };
    return { script, total, awake: inline + scriptBytes(meter) };
  } finally {
    await browser.close();
    await meter.close();
  }
}

/** Phones do it by themselves, a browser without a window does not. */
async function fetchManifest(page: Page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Page.getAppManifest');
  await session.detach();
}

const scriptBytes = ({ sent }: Meter) =>
  sent
    .filter(({ type }) => type.startsWith('text/javascript'))
    .reduce((sum, { body }) => sum + body, 0);

/** Whether there is a form to wake. */
async function wakeForm(page: Page, awakeForm: string): Promise<boolean> {
  const field = page.locator('form[action="/api/contacts"] [name=name]');
  if ((await field.count()) === 0) return false;
  await field.tap();
  await page.locator(awakeForm).waitFor({ state: 'attached', timeout: wakeLimit });
  return true;
}
