import { expect, it, vi } from 'vitest';
import './particles-worker.ts';
import type { Message } from './particles-worker.ts';

const tell = (message: Message) => self.onmessage?.(new MessageEvent('message', { data: message }));

it('draws as many pixels as the screen has, in the measures of the page', () => {
  const canvas = { width: 0, height: 0 };
  const context = { canvas, scale: vi.fn() };
  Object.assign(canvas, { getContext: () => context });
  tell({ canvas: canvas as OffscreenCanvas, area: { width: 400, height: 300, ratio: 2 } });
  expect([canvas.width, canvas.height]).toEqual([800, 600]);
  expect(context.scale).toHaveBeenCalledWith(2, 2);
  tell({ area: { width: 333, height: 300, ratio: 1.5 } });
  expect([canvas.width, canvas.height]).toEqual([500, 450]);
  expect(context.scale).toHaveBeenLastCalledWith(1.5, 1.5);
});
