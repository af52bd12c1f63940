/** Makes `site:` modules: the content of the site, the rules of its fonts, and the files to ask for at once. */
import type { Plugin } from 'vite';
import type { buildFontFiles } from '../../../web/build/fonts.ts';
import type { Content } from '../../../web/src/content/types.ts';

type Fonts = Awaited<ReturnType<typeof buildFontFiles>>;

export function siteModules(content: Content, { css, urls }: Fonts): Plugin {
  const modules = new Map([
    ['site:content', `export default ${JSON.stringify(content)};`],
    ['site:fonts.css', css],
    ['site:fonts', `export default ${JSON.stringify(urls)};`],
  ]);
  return {
    name: 'site',
    resolveId: (id) => (modules.has(id) ? `\0${id}` : undefined),
    load: (id) => modules.get(id.slice(1)),
  };
}
