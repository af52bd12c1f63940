/** The system's Chromium, told to stay quiet: the same for tests and screenshots. */
import type { LaunchOptions } from '@playwright/test';

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
