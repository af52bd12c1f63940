/** Mistakes in the content: where they are and what was probably meant, for owners who don't know TOML. */
import { TomlError } from 'smol-toml';
import { z } from 'zod';

export type Mistake = { file: string; field: string; message: string };

const printMistake = ({ file, field, message }: Mistake) => `${file}: ${field}: ${message}`;

/** On standard error, apart from the build's own output. */
export function warn(warnings: Mistake[]) {
  for (const warning of warnings) console.warn(`Warning: ${printMistake(warning)}`);
}

export class ContentError extends Error {
  constructor(mistakes: Mistake[]) {
    super(mistakes.map(printMistake).join('\n'));
    this.name = 'ContentError';
  }
}

/** Messages of the parser, and the mistake that usually causes each. */
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

/** The known name that differs by a typo or two (by one if it's short). */
export function nearest(written: string, known: Iterable<string>): string | undefined {
  const slips = Math.max(1, Math.min(3, Math.floor(written.length / 3)));
  const near = [...known].map((name) => ({ name, slips: distance(written, name) }));
  return near.filter((one) => one.slips <= slips).sort((a, b) => a.slips - b.slips)[0]?.name;
}

/** The fields that a schema has at a place within it. */
export function fieldsAt(schema: z.ZodType, path: PropertyKey[]): string[] {
  let at = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  for (const step of path) {
    const next = typeof step === 'number' ? at.items : at.properties?.[String(step)];
    at = (next ?? {}) as typeof at;
  }
  return Object.keys(at.properties ?? {});
}

/** How many letters must be added, removed or replaced to turn one word into the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1];
    for (const [place, other] of [...b].entries()) {
      const exchanged = (row[place] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(exchanged, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
