/**
 * Types for the style modules, so that a class which a component names and the
 * style sheet does not have is an error of `npm run check`. They stand beside
 * the sources only for the compiler (`rootDirs` in tsconfig.json).
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { paths } from './paths.ts';
import { readStyleModules } from './style-modules.ts';

const folder = join(paths.cache, 'style-types');

const declaration = (names: string[]) => `declare const styles: {
${names.map((name) => `  readonly ${JSON.stringify(name)}: string;`).join('\n')}
};
export default styles;
`;

await rm(folder, { recursive: true, force: true });
for (const { file, names } of await readStyleModules()) {
  const target = join(folder, file.replace(/\.css$/, '.d.css.ts'));
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, declaration(names));
}
