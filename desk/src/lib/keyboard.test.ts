import { expect, it } from 'vitest';
import { keyName } from './keyboard.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };
const press = (key: string, held: Partial<typeof none> = {}, focus?: 'field' | 'control') =>
  keyName({ ...none, key, ...held }, focus);

it('needs Shift itself for "not spam", whether or not Caps Lock is on', () => {
  expect(press('S', { shiftKey: true })).toBe('shift+s');
  expect(press('S')).toBe('s');
  expect(press('A')).toBe('a');
});

it('ignores keys in a text field, except Escape and Ctrl Enter', () => {
  expect(press('a', {}, 'field')).toBeUndefined();
  expect(press('Enter', {}, 'field')).toBeUndefined();
  expect(press('Escape', {}, 'field')).toBe('escape');
  expect(press('Enter', { ctrlKey: true }, 'field')).toBe('ctrl+enter');
  expect(press('Enter', { metaKey: true }, 'field')).toBe('ctrl+enter');
});

it('leaves Enter to links and buttons, and shortcuts to the browser', () => {
  expect(press('Enter')).toBe('enter');
  expect(press('Enter', {}, 'control')).toBeUndefined();
  expect(press('r', { ctrlKey: true })).toBeUndefined();
  expect(press('1', { altKey: true })).toBeUndefined();
});
