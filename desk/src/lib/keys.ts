/** Which key means what. Letters sleep while one writes. */

export type KeyAction =
  | 'next'
  | 'previous'
  | 'open'
  | 'back'
  | 'reply'
  | 'answered'
  | 'booked'
  | 'closed'
  | 'spam'
  | 'not-spam'
  | 'note'
  | 'search'
  | 'undo'
  | 'keys'
  | 'send'
  | 'page-1'
  | 'page-2'
  | 'page-3'
  | 'page-4'
  | 'page-5';

export interface Press {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
  /** In a field, where letters are text. */
  writing: boolean;
  /** On a link or a button, which know themselves what Enter does. */
  onControl: boolean;
}

const letters: Record<string, KeyAction> = {
  j: 'next',
  k: 'previous',
  r: 'reply',
  a: 'answered',
  b: 'booked',
  c: 'closed',
  s: 'spam',
  S: 'not-spam',
  n: 'note',
  z: 'undo',
  '/': 'search',
  '?': 'keys',
  '1': 'page-1',
  '2': 'page-2',
  '3': 'page-3',
  '4': 'page-4',
  '5': 'page-5',
};

export function keyAction(press: Press): KeyAction | null {
  const { key, writing, onControl } = press;
  if (key === 'Enter' && (press.ctrlKey || press.metaKey)) return 'send';
  if (press.ctrlKey || press.metaKey || press.altKey) return null;
  if (key === 'Escape') return 'back';
  if (writing) return null;
  if (key === 'Enter') return onControl ? null : 'open';
  // With capitals locked, letters mean the same; only `s` asks for the key itself.
  const letter = key === 'S' && press.shiftKey ? 'S' : key.toLowerCase();
  return letters[letter] ?? null;
}

/** For the page of keys, in the order in which they are learnt. */
export const keyHelp: [keys: string[], what: string][] = [
  [['j', 'k'], 'Next, one before'],
  [['r'], 'Reply'],
  [['Enter'], 'Open'],
  [['a'], 'Answered'],
  [['Esc'], 'Back to the list'],
  [['b'], 'Booked'],
  [['/'], 'Search'],
  [['c'], 'Close'],
  [['z'], 'Undo, for ten seconds'],
  [['s'], 'Spam'],
  [['n'], 'Note'],
  [['Shift', 's'], 'Not spam'],
  [['1', '–', '5'], 'Inbox to Health'],
  [['Ctrl', 'Enter'], 'Send what you write'],
  [['?'], 'These keys'],
];
