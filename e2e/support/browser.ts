/** The system's Chromium without background traffic, the same for tests, screenshots and benchmarks. */
import type { LaunchOptions } from '@playwright/test';

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
export const engineOptions: LaunchOptions = {
  executablePath: process.env.CHROMIUM_HEADLESS_SHELL ?? '/usr/bin/chromium-headless-shell',
  args: [...(launchOptions.args ?? []), '--disable-gpu'],
};

/** For tests of motion, on a small screen: without a graphics card every moving pixel takes its time. */
export const moving = {
  reducedMotion: 'no-preference',
  viewport: { width: 1024, height: 640 },
} as const;
