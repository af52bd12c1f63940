/** The system's Chromium without background traffic, the same for tests, screenshots and benchmarks. */
import type { BrowserContextOptions, LaunchOptions } from '@playwright/test';

type Motion = { launchOptions: LaunchOptions; contextOptions: BrowserContextOptions };

const asRoot = process.getuid?.() === 0;

/** The complete browser: for screenshots, benchmarks, and features that only it has. */
export const launchOptions: LaunchOptions = {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--disable-quic',
    '--no-first-run',
    // Chromium refuses its sandbox to root.
    ...(asRoot ? ['--no-sandbox'] : []),
  ],
};

/**
 * The same engine without the browser around it, and without painting through a software
 * graphics card: the tests take 40 % less of the processor.
 */
const engine = (...more: string[]): LaunchOptions => ({
  executablePath: process.env.CHROMIUM_HEADLESS_SHELL ?? '/usr/bin/chromium-headless-shell',
  args: [...(launchOptions.args ?? []), '--disable-gpu', ...more],
});

/** For tests that are not about motion: the setting of a page does not reach its pictures. */
export const still: Motion = {
  launchOptions: engine('--force-prefers-reduced-motion'),
  contextOptions: { reducedMotion: 'reduce' },
};

/** For tests that are: `test.use(withMotion)` at the top of a file, as it takes another browser. */
export const withMotion: Motion = {
  launchOptions: engine(),
  contextOptions: { reducedMotion: 'no-preference' },
};
