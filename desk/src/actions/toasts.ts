/** What was just done and can be undone, and what did not work; shown by `toast.tsx`. */
import { asProblem } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { serverNow } from '../lib/clock.ts';
import { shared } from '../lib/shared.ts';

export const undoWindow = 10_000;

export interface Undoable {
  /** What happened, in a sentence; the seconds may follow it. */
  said: string;
  /** Tells it from others, where it can also end in another way. */
  key?: string;
  verb: 'Undo' | 'Call it back';
  /** When it can no longer be reversed, in milliseconds. */
  until: number;
  /** Answers what happened then. */
  reverse: () => Promise<string>;
}

export interface Notice {
  text: string;
  isFault?: boolean;
  tryAgain?: (() => void) | undefined;
}

interface Toasts {
  /** What can still be reversed, the latest last: each for ten seconds on its own. */
  undoable: Undoable[];
  /** What has nothing to undo; it stands before the others until it goes. */
  notice: Notice | null;
}

export const toasts = shared<Toasts>({ undoable: [], notice: null });

const without = (entry: Undoable) => toasts.get().undoable.filter((each) => each !== entry);

export function offerUndo(offered: Omit<Undoable, 'until'> & { until?: number }): void {
  const entry = { until: serverNow() + undoWindow, ...offered };
  const { undoable } = toasts.get();
  const others = undoable.filter(({ key }) => key === undefined || key !== entry.key);
  toasts.set({ undoable: [...others, entry], notice: null });
  const forget = () => toasts.set({ ...toasts.get(), undoable: without(entry) });
  setTimeout(forget, entry.until - serverNow());
}

let timer: ReturnType<typeof setTimeout> | undefined;

export function tell(text: string, options: Omit<Notice, 'text'> = {}): void {
  toasts.set({ ...toasts.get(), notice: { ...options, text } });
  clearTimeout(timer);
  timer = setTimeout(dismiss, options.isFault ? 15_000 : 5000);
}

export const dismiss = (): void => toasts.set({ ...toasts.get(), notice: null });

/** A failure in a sentence that says what still holds. */
export function tellFailure(error: unknown, holds = '', tryAgain?: () => void): void {
  const { message } = asProblem(error);
  tell(holds ? `${message} ${holds}` : message, { isFault: true, tryAgain });
}

export async function undoLatest(): Promise<void> {
  const entry = toasts.get().undoable.at(-1);
  if (!entry) return tell('There is nothing to undo.');
  toasts.set({ undoable: without(entry), notice: null });
  await undo(entry);
}

async function undo(entry: Undoable): Promise<void> {
  try {
    tell(await entry.reverse());
  } catch (error) {
    tellFailure(error, '', asProblem(error).unanswered ? () => void undo(entry) : undefined);
  }
  refresh('inbox', 'lead', 'site');
}
