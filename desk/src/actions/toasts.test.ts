import { expect, it, vi } from 'vitest';
import { offerUndo, toasts, undo } from './toasts.ts';

const offered = () => toasts.get().undoable.map(({ said }) => said);
const offer = (said: string, key?: string) =>
  offerUndo({ said, reverse: async () => said, ...(key && { key }) });

it('lets each thing go after its own ten seconds, and one that ends otherwise with it', () => {
  vi.useFakeTimers();
  offer('first');
  vi.advanceTimersByTime(4000);
  offer('reply', 'key');
  offer('reply again', 'key');
  expect(offered()).toEqual(['first', 'reply again']);
  vi.advanceTimersByTime(6000);
  expect(offered()).toEqual(['reply again']);
  vi.advanceTimersByTime(4000);
  expect(offered()).toEqual([]);
  vi.useRealTimers();
});

it('drops the offer of what is undone in another place', async () => {
  offer('kept');
  offer('reply', 'key');
  const reverse = async () => 'called back';
  await undo({ said: 'reply', key: 'key', verb: 'Call it back', until: 0, reverse });
  expect(offered()).toEqual(['kept']);
  expect(toasts.get().notice?.text).toBe('called back');
});
