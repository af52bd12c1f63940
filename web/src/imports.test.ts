/** Imports go one way: from pages down to what they are made of, and from behaviours to the library. */
import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path/posix';
import { expect, it } from 'vitest';

const basis = ['lib', 'content', 'ui', 'styles'];
const behaviour = ['lib', 'behaviours', 'navigation', 'chat', 'particles', 'routes.ts'];

/** The folders that a folder may use. A page may also use its own; folders that aren't listed may use everything. */
const mayUse: Record<string, string[]> = {
  lib: basis,
  content: basis,
  ui: basis,
  sections: [...basis, 'sections'],
  layout: [...basis, 'sections', 'layout'],
  chat: [...basis, 'sections', 'chat'],
  pages: [...basis, 'sections'],
  behaviours: behaviour,
  navigation: behaviour,
};

const sources = globSync('**/*.{ts,tsx}', { cwd: import.meta.dirname }).filter(
  (file) => !file.includes('.test.'),
);

it.each(Object.keys(mayUse))('%s uses only what is below it', (folder) => {
  const own = sources.filter((file) => file.startsWith(`${folder}/`));
  const wrong = own.flatMap((file) => {
    const code = readFileSync(join(import.meta.dirname, file), 'utf8');
    const imported = [...code.matchAll(/(?:from|import\() ?'([^']+)'/g)].map(([, path = '']) =>
      path.startsWith('.') ? normalize(join(file, '..', path)) : path,
    );
    const page = /^pages\/[^/]+\//.exec(file)?.[0] ?? '';
    return imported
      .filter((path) => path.includes('.ts') || path.includes('.css'))
      .filter((path) => !mayUse[folder]?.includes(path.split('/')[0] ?? ''))
      .filter((path) => !page || !path.startsWith(page))
      .map((path) => `${file} uses ${path}`);
  });
  expect(own).not.toEqual([]);
  expect(wrong).toEqual([]);
});

it.each(['lib', 'behaviours', 'navigation'])('%s does without React', (folder) => {
  const withReact = sources
    .filter((file) => file.startsWith(`${folder}/`))
    .filter((file) =>
      /^import (?!type).*'react/m.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
    );
  expect(withReact).toEqual([]);
});
