/**
 * Types for the `content:…` modules of pages, one for each schema, so that a
 * page's file and its schema are all there is to write. Those made from
 * several files are in `src/content/modules.d.ts`.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageSchemas } from '../src/content/schema.ts';
import { paths } from './paths.ts';

const declaration = (name: string) => `declare module 'content:${name}' {
  const words: import('../../src/content/types.ts').Page<'${name}'>;
  export default words;
}
`;

const folder = join(paths.cache, 'content-types');
await mkdir(folder, { recursive: true });
const declarations = Object.keys(pageSchemas).map(declaration);
await writeFile(join(folder, 'modules.d.ts'), declarations.join(''));
