/** The system's Chromium, told to stay quiet: the same for tests and screenshots. */
import type { BrowserContextOptions, LaunchOptions } from '@playwright/test';

type Motion = { launchOptions: LaunchOptions; contextOptions: BrowserContextOptions };

const asRoot = process.getuid?.() === 0;

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

/** For tests that are not about motion: the setting of a page does not reach its pictures. */
export const still: Motion = {
  launchOptions: {
    ...launchOptions,
    args: [...(launchOptions.args ?? []), '--force-prefers-reduced-motion'],
  },
  contextOptions: { reducedMotion: 'reduce' },
};

/** For tests that are: `test.use(withMotion)` at the top of a file, as it takes another browser. */
export const withMotion: Motion = {
  launchOptions,
  contextOptions: { reducedMotion: 'no-preference' },
};
