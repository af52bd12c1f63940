/** What was just done and can be undone, and what did not work; shown at the foot of the frame. */
import { asProblem } from '../api/client.ts';
import { refresh } from '../api/queries.ts';
import { serverNow } from '../lib/server-time.ts';
import { shared } from '../lib/store.ts';

export const undoWindow = 10_000;

export interface Undoable {
  /** What happened, in a sentence; the seconds left follow it. */
  said: string;
  /** A new offer with the same key replaces the old one. */
  key?: string;
  verb: 'Undo' | 'Call it back';
  /** The time after which it cannot be reversed, in milliseconds. */
  until: number;
  /** Returns what to say afterwards. */
  reverse: () => Promise<string>;
}

export interface Notice {
  text: string;
  isFault?: boolean;
  tryAgain?: (() => void) | undefined;
}

/** `undoable`: the latest last, each for ten seconds. `notice`: what has nothing to undo. */
export const toasts = shared({ undoable: [] as Undoable[], notice: null as Notice | null });

const without = (entry: Undoable) =>
  toasts.get().undoable.filter((each) => each !== entry && (!each.key || each.key !== entry.key));

export function offerUndo(offered: Pick<Undoable, 'said' | 'reverse'> & Partial<Undoable>): void {
  const entry: Undoable = { verb: 'Undo', until: serverNow() + undoWindow, ...offered };
  toasts.set({ undoable: [...without(entry), entry], notice: null });
  const forget = () => toasts.set({ ...toasts.get(), undoable: without(entry) });
  setTimeout(forget, entry.until - serverNow());
}

let timer: ReturnType<typeof setTimeout> | undefined;

export function tell(text: string, fault?: Omit<Notice, 'text'>): void {
  toasts.set({ ...toasts.get(), notice: { ...fault, text } });
  clearTimeout(timer);
  timer = setTimeout(dismiss, fault ? 15_000 : 5000);
}

export const dismiss = (): void => toasts.set({ ...toasts.get(), notice: null });

/** `holds` says what is still true in spite of the failure. */
export function tellFailure(error: unknown, holds = '', tryAgain?: () => void): void {
  tell(`${asProblem(error).message} ${holds}`.trim(), { isFault: true, tryAgain });
}

export async function undoLatest(): Promise<void> {
  const entry = toasts.get().undoable.at(-1);
  if (!entry) return tell('There is nothing to undo.');
  await undo(entry);
}

/** Also after its ten seconds, if the server still can. */
export async function undo(entry: Undoable): Promise<void> {
  toasts.set({ undoable: without(entry), notice: null });
  try {
    tell(await entry.reverse());
  } catch (error) {
    tellFailure(error, '', asProblem(error).unanswered ? () => void undo(entry) : undefined);
  }
  refresh('inbox', 'lead', 'site');
}
