/** Makes `fonts:` modules: the rules of the fonts, and the files to ask for at once. */
import type { Plugin } from 'vite';
import type { Media } from '../../../web/build/media.ts';

export function fontsPlugin({ fontCss, fonts }: Media): Plugin {
  const modules = new Map([
    ['fonts:rules.css', fontCss],
    ['fonts:files', `export default ${JSON.stringify(fonts)};`],
  ]);
  return {
    name: 'fonts',
    resolveId: (id) => (modules.has(id) ? `\0${id}` : undefined),
    load: (id) => modules.get(id.slice(1)),
  };
}
