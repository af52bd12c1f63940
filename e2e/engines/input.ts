/** Input as the WebDriver standards describe it; both protocols take the same. */

const keyCodes: Record<string, string> = { Tab: '\uE004', Enter: '\uE007', Escape: '\uE00C' };

/** Keys pressed one after the other. */
export const keyPresses = (keys: string[]) => ({
  type: 'key',
  id: 'keyboard',
  actions: keys.flatMap((key) =>
    ['keyDown', 'keyUp'].map((type) => ({ type, value: keyCodes[key] ?? key })),
  ),
});

export const mousePress = (x: number, y: number) => ({
  type: 'pointer',
  id: 'mouse',
  parameters: { pointerType: 'mouse' },
  actions: [
    { type: 'pointerMove', x, y },
    { type: 'pointerDown', button: 0 },
    { type: 'pointerUp', button: 0 },
  ],
});
