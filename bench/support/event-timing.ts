/**
 * How long the page lets a visitor wait after an input: the browser's Event
 * Timing, which is what INP is made of (input delay, handlers, next paint).
 */
import type { Page } from '@playwright/test';

/** The shortest the browser reports; it rounds to 8 ms. */
export const shortest = 16;

/** Milliseconds before the input, as a visitor's pointer rests on what it will press. */
export const restTime = 300;
/** Milliseconds after the input until the browser has reported it for certain. */
const reportTime = 1000;

type Noted = {
  /** How long the events took that belong to an interaction; a moving pointer's do not. */
  durations: number[];
  /** From letting go of the pointer to the paint of what it asked for: a dialog, another page. */
  answers: number[];
};

declare global {
  interface Window {
    noted: Noted;
  }
}

/** Notes every interaction, every opened dialog and every new h1, from before the page's own scripts. */
export async function noteInteractions(page: Page) {
  await page.addInitScript((durationThreshold) => {
    const noted: Noted = { durations: [], answers: [] };
    window.noted = noted;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as PerformanceEventTiming[]) {
        if (entry.interactionId) noted.durations.push(entry.duration);
      }
    });
    const buffered = { buffered: true, durationThreshold };
    observer.observe({ type: 'event', ...buffered });
    observer.observe({ type: 'first-input', ...buffered });

    const front = () => document.querySelector('dialog[open]') ?? document.querySelector('main h1');
    let released = 0;
    let before: Element | null = null;
    const onRelease = (event: PointerEvent) => {
      released = event.timeStamp;
      before = front();
    };
    addEventListener('pointerup', onRelease, { capture: true, passive: true });
    const changes = new MutationObserver(() => {
      if (!before || front() === before) return;
      before = null;
      const { port1, port2 } = new MessageChannel();
      // A message sent while a frame is made arrives when the frame is done.
      port1.onmessage = () => noted.answers.push(performance.now() - released);
      requestAnimationFrame(() => port2.postMessage(undefined));
    });
    changes.observe(document, { childList: true, subtree: true, attributeFilter: ['open'] });
  }, shortest);
}

/**
 * The longest event of the interaction, in milliseconds, to the next paint:
 * not necessarily the one that shows what was asked for. `input` must be bare
 * input: whatever else runs in the page at that moment would be measured too.
 */
export async function interaction(page: Page, input: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    window.noted.durations = [];
    window.noted.answers = [];
  });
  await page.waitForTimeout(restTime);
  await input();
  // Events below the shortest are never reported: there is nothing to wait for but time.
  await page.waitForTimeout(reportTime);
  const durations = await page.evaluate(() => window.noted.durations);
  return Math.max(shortest, ...durations);
}

/** When what the click asked for was painted, in milliseconds since the pointer was let go. */
export async function answerPainted(page: Page): Promise<number> {
  const painted = await page.waitForFunction(() => window.noted.answers[0]);
  return (await painted.jsonValue()) ?? Number.NaN;
}
