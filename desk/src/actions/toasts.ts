/** What was just done and can be undone, and what did not work; shown by `toast.tsx`. */
import { useSyncExternalStore } from 'react';
import { asProblem } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { serverNow } from '../lib/clock.ts';
import * as undo from '../lib/undo.ts';

export interface Notice {
  text: string;
  isFault: boolean;
  tryAgain?: (() => void) | undefined;
}

interface Toasts {
  stack: undo.UndoStack;
  /** What has nothing to undo; it stands before the stack until it goes. */
  notice: Notice | null;
}

let toasts: Toasts = { stack: [], notice: null };
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

function set(change: Partial<Toasts>): void {
  toasts = { ...toasts, ...change };
  for (const listener of listeners) listener();
}

export const useToasts = (): Toasts =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => toasts,
  );

export function offerUndo(entry: Omit<undo.Undoable, 'until'> & { until?: number }): void {
  const now = serverNow();
  const whole = { until: now + undo.undoWindow, ...entry };
  const others = toasts.stack.filter(({ key }) => key === undefined || key !== entry.key);
  set({ stack: undo.push(others, whole, now), notice: null });
}

export function tell(text: string, options: Omit<Partial<Notice>, 'text'> = {}): void {
  const notice: Notice = { isFault: false, ...options, text };
  set({ notice });
  clearTimeout(timer);
  timer = setTimeout(dismiss, notice.isFault ? 15_000 : 5000);
}

export const dismiss = (): void => set({ notice: null });

/** A failure in a sentence that says what still holds. */
export function tellFailure(error: unknown, holds = '', tryAgain?: () => void): void {
  const { message } = asProblem(error);
  tell(holds ? `${message} ${holds}` : message, { isFault: true, tryAgain });
}

export async function undoLatest(): Promise<void> {
  const entry = undo.latest(toasts.stack, serverNow());
  if (!entry) return tell('There is nothing to undo.');
  set({ stack: undo.without(toasts.stack, entry), notice: null });
  try {
    tell(await entry.reverse());
  } catch (error) {
    const { unanswered } = asProblem(error);
    if (unanswered) set({ stack: [...toasts.stack, entry] });
    tellFailure(error, unanswered ? 'Press Undo again when it is back.' : '');
  }
  refresh('inbox', 'lead', 'site');
}

/** Takes away what can no longer be reversed. */
export const forgetPast = (): void => set({ stack: undo.stillOpen(toasts.stack, serverNow()) });
