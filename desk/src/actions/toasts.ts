/** The messages at the foot of the frame: actions that can be undone, and notices such as a failure. */
import { asProblem, post, refresh } from '../api/queries.ts';
import { serverNow } from '../lib/server-time.ts';
import { createStore } from '../lib/store.ts';

export const undoWindow = 10_000;

export interface Undoable {
  /** What happened, in a sentence; the seconds left follow it. */
  message: string;
  /** A new offer with the same key replaces the old one. */
  key?: string;
  verb: 'Undo' | 'Call it back';
  /** The time after which it cannot be reversed, in milliseconds. */
  until: number;
  /** Returns what to say afterwards. */
  reverse: () => Promise<{ message: string }>;
}

export interface Notice {
  text: string;
  isFault?: boolean;
  tryAgain?: (() => void) | undefined;
}

/** `undoable`: each for ten seconds, the latest last. `notice`: a message with nothing to undo. */
export const toasts = createStore({ undoable: [] as Undoable[], notice: null as Notice | null });

const allExcept = (entry: Undoable) =>
  toasts.get().undoable.filter((each) => each !== entry && (!each.key || each.key !== entry.key));

export function offerUndo(action: Pick<Undoable, 'message' | 'reverse'> & Partial<Undoable>): void {
  const entry: Undoable = { verb: 'Undo', until: serverNow() + undoWindow, ...action };
  toasts.set({ undoable: [...allExcept(entry), entry], notice: null });
  const forget = () => toasts.set({ ...toasts.get(), undoable: allExcept(entry) });
  const timeLeft = entry.until - serverNow();
  setTimeout(forget, timeLeft);
  // Soon after that, what could be called back has left.
  setTimeout(() => refresh('inbox', 'lead', 'newsletter'), timeLeft + 700);
}

let timer: ReturnType<typeof setTimeout> | undefined;

export function notify(text: string, failure?: Omit<Notice, 'text'>): void {
  toasts.set({ ...toasts.get(), notice: { ...failure, text } });
  clearTimeout(timer);
  timer = setTimeout(dismiss, failure ? 15_000 : 5000);
}

export const dismiss = (): void => toasts.set({ ...toasts.get(), notice: null });

/** `stillTrue` says what the failure has not changed. */
export function notifyFailure(error: unknown, stillTrue = '', tryAgain?: () => void): void {
  notify(`${asProblem(error).message} ${stillTrue}`.trim(), { isFault: true, tryAgain });
}

let pending: Promise<unknown> | undefined;

/** `z` may be pressed before the server has answered: it waits for that. The result says whether it was done. */
export function undoWaitsFor<T>(action: Promise<T>): Promise<T> {
  pending = action;
  void action.finally(() => {
    if (pending === action) pending = undefined;
  });
  return action;
}

export async function undoLatest(): Promise<void> {
  // The owner is told of what was not done.
  if (pending && !(await pending)) return;
  const entry = toasts.get().undoable.at(-1);
  if (!entry) return notify('There is nothing to undo.');
  await undo(entry);
}

/** Works after the ten seconds, too, if the server can still undo it. */
export async function undo(entry: Undoable): Promise<void> {
  toasts.set({ undoable: allExcept(entry), notice: null });
  try {
    notify((await entry.reverse()).message);
  } catch (error) {
    notifyFailure(error, '', asProblem(error).isUnreachable ? () => void undo(entry) : undefined);
  }
  refresh('inbox', 'lead', 'site', 'newsletter');
}

/** An action that cannot be undone: shows the server's message and refreshes the given queries. */
export async function act(path: string, toRefresh: string[], body?: object): Promise<void> {
  try {
    notify((await post(path, body)).message);
  } catch (error) {
    notifyFailure(error);
  }
  refresh(...toRefresh);
}
