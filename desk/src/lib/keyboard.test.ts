import { expect, it } from 'vitest';
import { keyName } from './keyboard.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

it.each([
  // "Not spam" needs Shift itself; Caps Lock changes nothing.
  ['S', { shiftKey: true }, undefined, 'shift+s'],
  ['S', {}, undefined, 's'],
  ['a', {}, 'field', undefined],
  ['Escape', {}, 'field', 'escape'],
  ['Enter', { metaKey: true }, 'field', 'ctrl+enter'],
  // Links and buttons have their own Enter, the browser its shortcuts.
  ['Enter', {}, undefined, 'enter'],
  ['Enter', {}, 'control', undefined],
  ['r', { ctrlKey: true }, undefined, undefined],
  ['1', { altKey: true }, undefined, undefined],
] as const)('%s with %o in a %s is %s', (key, held, focus, name) => {
  expect(keyName({ ...none, key, ...held }, focus)).toBe(name);
});
