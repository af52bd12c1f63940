/** The messages at the foot of the frame: actions that can be undone, and notices such as a failure. */
import { asProblem, get, post, refresh, untilAnswered } from '../api/queries.ts';
import { createStore, serverNow } from '../lib/page.ts';

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
  lookUp?: LookUp;
}

/** Finds out whether the server did something although its answer was lost. */
export type LookUp = () => Promise<{ isDone: boolean; message: string }>;

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

const lookAtPage: LookUp = async () => {
  await get('me');
  return { isDone: true, message: 'The server answers again, and the page shows what it has.' };
};

/** Says why something failed, or, if the answer was lost, what is true once the server answers. Returns whether it was done. */
export async function notifyFailure(
  error: unknown,
  lookUp = lookAtPage,
  tryAgain?: () => void,
): Promise<boolean> {
  const { message, isUnreachable } = asProblem(error);
  notify(message, { isFault: true });
  if (!isUnreachable) return false;
  try {
    const found = await untilAnswered(lookUp);
    notify(found.message, found.isDone ? undefined : { isFault: true, tryAgain });
    return found.isDone;
  } catch (error) {
    return notifyFailure(error);
  } finally {
    refresh(...changing);
  }
}

/** The queries that an action or its undoing may change. */
const changing = ['inbox', 'lead', 'site', 'newsletter', 'health'];

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
    void notifyFailure(error, entry.lookUp, () => void undo(entry));
  }
  refresh(...changing);
}

/** An action that cannot be undone: shows the server's message and refreshes the given queries. */
export async function act(path: string, toRefresh: string[], body?: object): Promise<void> {
  try {
    notify((await post(path, body)).message);
  } catch (error) {
    void notifyFailure(error);
  }
  refresh(...toRefresh);
}
