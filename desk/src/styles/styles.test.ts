/** A class that a component names and its style sheet lacks, or the other way round, shows nowhere else. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const src = join(import.meta.dirname, '..');
const read = (file: string) => readFileSync(join(src, file), 'utf8');
const sheets = globSync('**/*.module.css', { cwd: src });

/** Each import of a style sheet: the name it has in the component, and the component's code. */
const uses = globSync('**/*.tsx', { cwd: src }).flatMap((file) => {
  const code = read(file);
  return [...code.matchAll(/import (\w+) from '([^']+\.module\.css)'/g)].map(
    ([line, name = '', path = '']) => ({
      name,
      code: code.replace(line, ''),
      sheet: join(dirname(file), path),
    }),
  );
});

/** Classes that are chosen by what they are called: `styles[look]`. */
const chosen = ['go', 'bare', 'plain', 'text', 'waiting', 'due', 'late', 'phone', 'wide'];

const classesOf = (sheet: string) =>
  new Set([...read(sheet).matchAll(/\.([a-z]\w*)/gi)].map(([, name = '']) => name));

it.each(sheets)('%s has the classes that are named, and no others', (sheet) => {
  const named = uses
    .filter((use) => use.sheet === sheet)
    .flatMap(({ name, code }) =>
      [...code.matchAll(new RegExp(`(?<![/.])\\b${name}\\.(\\w+)`, 'g'))].map(
        ([, part = '']) => part,
      ),
    );
  const classes = classesOf(sheet);
  expect(named.filter((name) => !classes.has(name))).toEqual([]);
  expect([...classes].filter((name) => !named.includes(name) && !chosen.includes(name))).toEqual(
    [],
  );
});
