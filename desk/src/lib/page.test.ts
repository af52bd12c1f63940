import { expect, it } from 'vitest';
import { keyName } from './page.ts';

const none = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

it.each([
  // "Not spam" needs Shift itself; Caps Lock changes nothing.
  ['S', { shiftKey: true }, 'shift+s'],
  ['S', {}, 's'],
  ['Enter', { metaKey: true }, 'ctrl+enter'],
  // The browser has its shortcuts.
  ['r', { ctrlKey: true }, undefined],
  ['1', { altKey: true }, undefined],
])('%s with %o is %s', (key, held, name) => {
  expect(keyName({ ...none, key, ...held })).toBe(name);
});
