import { expect, it, vi } from 'vitest';
import { Problem } from '../api/queries.ts';
import { notifyFailure, offerUndo, toasts, undo } from './toasts.ts';

const offers = () => toasts.get().undoable.map(({ message }) => message);
const offer = (message: string, key?: string) =>
  offerUndo({ message, reverse: async () => ({ message }), ...(key && { key }) });

it('withdraws each offer after its own ten seconds, and replaces one with the same key', () => {
  vi.useFakeTimers();
  offer('first');
  vi.advanceTimersByTime(4000);
  offer('reply', 'key');
  offer('reply again', 'key');
  expect(offers()).toEqual(['first', 'reply again']);
  vi.advanceTimersByTime(6000);
  expect(offers()).toEqual(['reply again']);
  vi.advanceTimersByTime(4000);
  expect(offers()).toEqual([]);
  vi.useRealTimers();
});

it('withdraws the offer of an action that is undone elsewhere', async () => {
  offer('kept');
  offer('reply', 'key');
  const reverse = async () => ({ message: 'called back' });
  await undo({ message: 'reply', key: 'key', verb: 'Call it back', until: 0, reverse });
  expect(offers()).toEqual(['kept']);
  expect(toasts.get().notice?.text).toBe('called back');
});

it('does not say that nothing was done if the answer was lost, but finds out', async () => {
  vi.useFakeTimers();
  const lookUp = vi.fn(async () => ({ isDone: true, message: 'Ada is answered.' }));
  lookUp.mockRejectedValueOnce(new Problem(0, 'still away'));
  const isDone = notifyFailure(new Problem(0, 'not known'), lookUp);
  expect(toasts.get().notice?.text).toBe('not known');
  await vi.runAllTimersAsync();
  expect([await isDone, lookUp.mock.calls.length]).toEqual([true, 2]);
  vi.useRealTimers();
});

it('only says why the server refused', async () => {
  const lookUp = vi.fn();
  expect(await notifyFailure(new Problem(409, 'Ada is booked now.'), lookUp)).toBe(false);
  expect(toasts.get().notice?.text).toBe('Ada is booked now.');
  expect(lookUp).not.toHaveBeenCalled();
});
