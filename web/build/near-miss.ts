/** What somebody may have meant who wrote a name that is not known. */
import { z } from 'zod';

/** The known name that differs by a slip or two; of a short one, by one. */
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

/** How many letters must be put in, taken out or exchanged to make one word of the other. */
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
