/** Where a TOML file cannot be read, and why, for an owner who has never heard of TOML. */
import { TomlError } from 'smol-toml';

/** The library's words, and what the owner most likely did. */
const reasons: [words: RegExp, reason: string][] = [
  [
    /control characters are not allowed in strings|unfinished string/,
    'the closing quote is missing',
  ],
  [
    /must be followed by an end-of-line/,
    'the text ends before here: write a quote inside it as \\"',
  ],
  [
    /expected comma|unfinished (array|table)/,
    'a comma or a closing bracket is missing before this',
  ],
  [/already defined/, 'this is in the file twice: keep one of the two'],
  [/invalid value/, 'the value must be in straight quotes, like "this"'],
  [/key/, 'a line must be like name = "text", and the start of a section like [name]'],
];

/** `linesAbove`: how many lines of the file come before what was parsed. */
export function tomlMistake(error: unknown, linesAbove: number) {
  if (!(error instanceof TomlError)) throw error;
  const [, words = ''] = /^Invalid TOML document: (.*)/.exec(error.message) ?? [];
  const reason = reasons.find(([pattern]) => pattern.test(words))?.[1] ?? words;
  return { field: `line ${error.line + linesAbove}, column ${error.column}`, message: reason };
}
