/** What can still be reversed, the latest on top: each thing for ten seconds on its own. */

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

export type UndoStack = readonly Undoable[];

export const push = (stack: UndoStack, entry: Undoable, now: number): UndoStack => [
  ...stillOpen(stack, now),
  entry,
];

export const stillOpen = (stack: UndoStack, now: number): UndoStack =>
  stack.filter(({ until }) => until > now);

export const latest = (stack: UndoStack, now: number): Undoable | undefined =>
  stillOpen(stack, now).at(-1);

export const without = (stack: UndoStack, entry: Undoable): UndoStack =>
  stack.filter((each) => each !== entry);

/** The seconds that the ring shows: whole ones, so that it is read, not watched. */
export const secondsLeft = ({ until }: Undoable, now: number): number =>
  Math.max(0, Math.ceil((until - now) / 1000));
