import { afterEach, beforeEach, expect, it, vi } from 'vitest';

const wake = vi.fn(async () => true);
const putToRest = vi.fn();
vi.mock('./wake.ts', () => ({ wake, putToRest }));

const { islandsOf, wakeOnTouch } = await import('./moments.ts');
wakeOnTouch();

let leaving: AbortController;
const idle: (() => void)[] = [];
const near: ((entries: { isIntersecting: boolean }[]) => void)[] = [];
const forget = vi.fn();

function enter(moment: string) {
  document.body.innerHTML = `<main><div data-island="x" data-wake="${moment}"><form></form></div></main>`;
  islandsOf(document.querySelector('main') as HTMLElement, leaving.signal);
  return document.querySelector('[data-island]') as HTMLElement;
}

beforeEach(() => {
  leaving = new AbortController();
  vi.clearAllMocks();
  vi.stubGlobal('requestIdleCallback', (work: () => void) => idle.push(work));
  vi.stubGlobal('cancelIdleCallback', forget);
  class Observer {
    constructor(told: (typeof near)[number]) {
      near.push(told);
    }
    observe() {}
    disconnect = forget;
  }
  vi.stubGlobal('IntersectionObserver', Observer);
});
afterEach(() => {
  idle.length = 0;
  near.length = 0;
  vi.unstubAllGlobals();
});

it('one that wakes when touched does nothing before', () => {
  enter('touch');
  expect([idle.length, near.length]).toEqual([0, 0]);
  expect(wake).not.toHaveBeenCalled();
});

it('a hand that is at work is not held up: its island wakes once it rests', () => {
  vi.useFakeTimers();
  const form = enter('touch').querySelector('form') as HTMLElement;
  const touch = (type: string) => form.dispatchEvent(new Event(type, { bubbles: true }));
  touch('pointerdown');
  touch('focusin');
  vi.advanceTimersByTime(199);
  touch('keydown');
  vi.advanceTimersByTime(199);
  expect(wake).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(wake).toHaveBeenCalledOnce();
  vi.useRealTimers();
});

it.each([
  ['mouse', 1],
  ['touch', 0],
])('one under a %s wakes at once: %i', (pointerType, times) => {
  vi.useFakeTimers();
  const over = Object.assign(new Event('pointerover', { bubbles: true }), { pointerType });
  enter('touch').dispatchEvent(over);
  vi.advanceTimersByTime(0);
  expect(wake).toHaveBeenCalledTimes(times);
  vi.useRealTimers();
});

it('one that wakes when idle waits for that', () => {
  const host = enter('idle');
  expect(wake).not.toHaveBeenCalled();
  idle[0]?.();
  expect(wake).toHaveBeenCalledWith(host);
});

it('one that wakes when visible waits until it is near', () => {
  const host = enter('visible');
  near[0]?.([{ isIntersecting: false }]);
  expect(wake).not.toHaveBeenCalled();
  near[0]?.([{ isIntersecting: true }]);
  expect(wake).toHaveBeenCalledWith(host);
  expect(forget).toHaveBeenCalled();
});

it('without an observer it wakes when the page is idle', () => {
  Reflect.deleteProperty(globalThis, 'IntersectionObserver');
  const host = enter('visible');
  idle[0]?.();
  expect(wake).toHaveBeenCalledWith(host);
});

it.each(['idle', 'visible'])('a page that is left before calls off what waits for %s', (moment) => {
  const host = enter(moment);
  leaving.abort();
  expect(forget).toHaveBeenCalled();
  expect(putToRest).toHaveBeenCalledWith(host);
});

it('its forms leave the checking to us', () => {
  expect(enter('touch').querySelector('form')?.noValidate).toBe(true);
});
