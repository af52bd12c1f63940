import { describe, expect, it } from 'vitest';
import { keyAction, type Press } from './keys.ts';

const press = (key: string, rest: Partial<Press> = {}) =>
  keyAction({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    writing: false,
    onControl: false,
    ...rest,
  });

describe('keys', () => {
  it.each([
    ['j', 'next'],
    ['k', 'previous'],
    ['Enter', 'open'],
    ['Escape', 'back'],
    ['r', 'reply'],
    ['a', 'answered'],
    ['b', 'booked'],
    ['c', 'closed'],
    ['s', 'spam'],
    ['n', 'note'],
    ['/', 'search'],
    ['z', 'undo'],
    ['?', 'keys'],
    ['5', 'page-5'],
    ['x', null],
  ])('%s means %s', (key, action) => {
    expect(press(key)).toBe(action);
  });

  it('asks for Shift where it is not spam, and not because capitals are locked', () => {
    expect(press('S', { shiftKey: true })).toBe('not-spam');
    expect(press('S')).toBe('spam');
    expect(press('A')).toBe('answered');
  });

  it('sleeps while one writes, but for leaving and sending', () => {
    const writing = { writing: true };
    expect(press('a', writing)).toBeNull();
    expect(press('Enter', writing)).toBeNull();
    expect(press('Escape', writing)).toBe('back');
    expect(press('Enter', { ...writing, ctrlKey: true })).toBe('send');
    expect(press('Enter', { ...writing, metaKey: true })).toBe('send');
  });

  it('leaves Enter to links and buttons, and shortcuts to the browser', () => {
    expect(press('Enter', { onControl: true })).toBeNull();
    expect(press('r', { ctrlKey: true })).toBeNull();
    expect(press('1', { altKey: true })).toBeNull();
  });
});
