/**
 * The other half of what the types of the style modules ask (`style-types.ts`):
 * a class that no component names any more styles nothing, and what it was
 * meant for is left bare.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { paths } from './paths.ts';
import { readStyleModules } from './style-modules.ts';

const src = join(paths.web, 'src');
const sources = globSync('**/*.tsx', { cwd: src }).map((file) =>
  readFileSync(join(src, file), 'utf8'),
);

/** `styles.name`; or, chosen by an option: `'name'`, and `'x'` with `styles[`kind-${…}`]` for `kind-x`. */
function isNamed(name: string, source: string): boolean {
  const direct = new RegExp(`styles\\.${name}\\b(?!-)`).test(source);
  if (direct) return true;
  const [kind, option] = name.includes('-')
    ? [name.replace(/-.*/, ''), name.replace(/.*?-/, '')]
    : [];
  return (
    (/styles\[\w+\]/.test(source) && source.includes(`'${name}'`)) ||
    (source.includes(`styles[\`${kind}-\${`) && source.includes(`'${option}'`))
  );
}

const modules = await readStyleModules();

it.each(modules)('$file has no class without a component', ({ file, names }) => {
  const users = sources.filter((source) => source.includes(`/${file.replace(/.*\//, '')}'`));
  const left = names.filter((name) => !users.some((source) => isNamed(name, source)));
  expect(left).toEqual([]);
});

it('no two classes have one name on the pages, short as they are there', () => {
  const shown = modules.flatMap((module) => module.shown);
  expect(shown.length).toBeGreaterThan(200);
  expect(shown.filter((name, at) => shown.indexOf(name) < at)).toEqual([]);
});

it('no width is counted in digits: those of a fallback font are narrower, and lines would break anew', () => {
  const styles = globSync('**/*.css', { cwd: src });
  const counted = styles.filter((file) => /\dch\b/.test(readFileSync(join(src, file), 'utf8')));
  expect(counted).toEqual([]);
});
