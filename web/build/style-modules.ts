/** The style modules of `web/src`, and the classes each has. */
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { preprocessCSS, resolveConfig } from 'vite';
import { paths } from './paths.ts';

/** `file` is its path within `web/src`, `shown` what its names become on the pages. */
export type StyleModule = { file: string; names: string[]; shown: string[] };

const src = join(paths.web, 'src');

export async function readStyleModules(): Promise<StyleModule[]> {
  const config = await resolveConfig({ root: paths.web }, 'build');
  return Promise.all(
    globSync('**/*.module.css', { cwd: src }).map(async (file) => {
      const path = join(src, file);
      const css = await readFile(path, 'utf8');
      const { modules = {} } = await preprocessCSS(css, path, config);
      // Animations are listed with the classes, but no component names them.
      const names = Object.keys(modules).filter((name) => !css.includes(`@keyframes ${name} {`));
      return { file, names, shown: Object.values(modules) };
    }),
  );
}
