import { expect, it } from 'vitest';
import { latest, push, secondsLeft, type Undoable, undoWindow, without } from './undo.ts';

const entry = (said: string, from: number): Undoable => ({
  said,
  verb: 'Undo',
  until: from + undoWindow,
  reverse: async () => said,
});

it('gives back what was done last, then what was done before', () => {
  const [first, second] = [entry('first', 0), entry('second', 1000)];
  const stack = push(push([], first, 0), second, 1000);
  expect(latest(stack, 2000)).toBe(second);
  expect(latest(without(stack, second), 2000)).toBe(first);
});

it('lets each thing go after its own ten seconds', () => {
  const [first, second] = [entry('first', 0), entry('second', 4000)];
  const stack = push(push([], first, 0), second, 4000);
  expect(latest(without(stack, second), 9999)).toBe(first);
  expect(latest(without(stack, second), 10_000)).toBeUndefined();
  expect(latest(stack, 13_999)).toBe(second);
  expect(latest(stack, 14_000)).toBeUndefined();
});

it('counts whole seconds', () => {
  expect(secondsLeft(entry('', 0), 0)).toBe(10);
  expect(secondsLeft(entry('', 0), 2500)).toBe(8);
  expect(secondsLeft(entry('', 0), 12_000)).toBe(0);
});
