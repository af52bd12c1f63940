import { afterEach, expect, it, vi } from 'vitest';
import type { Message } from './particles-worker.ts';
import { startParticles } from './start-particles.ts';

afterEach(() => vi.unstubAllGlobals());

/** What the worker is told first. */
function firstMessage(): Message | undefined {
  const told: Message[] = [];
  vi.stubGlobal(
    'Worker',
    class {
      postMessage = (message: Message) => told.push(message);
      terminate() {}
    },
  );
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { transferControlToOffscreen: () => ({}) });
  startParticles(canvas, document.body)();
  return told[0];
}

it.each([
  [1, 1],
  [1.5, 1.5],
  [2, 2],
  [3, 2],
])('a screen of ratio %d is drawn for with %d', (screen, drawn) => {
  vi.stubGlobal('devicePixelRatio', screen);
  expect(firstMessage()?.area?.ratio).toBe(drawn);
});
