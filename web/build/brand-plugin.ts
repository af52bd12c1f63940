/** Puts the owner's colours into the styles, and into the one script that draws in colour. */
import type { Root } from 'postcss';
import type { Plugin } from 'vite';
import type { Source } from './content-plugin.ts';
import { recolouring } from './recolour.ts';

export function brandPlugin(source: Source): Plugin {
  const recolour = (text: string) => recolouring(source.content.site.brand)(text);
  const styles = {
    postcssPlugin: 'brand',
    Once(root: Root) {
      root.walkDecls((declaration) => {
        declaration.value = recolour(declaration.value);
      });
    },
  };
  return {
    name: 'brand',
    config: () => ({
      css: { postcss: { plugins: [styles] } },
      worker: { plugins: () => [brandPlugin(source)] },
    }),
    transform: (code, id) => (id.endsWith('/particles/particles.ts') ? recolour(code) : undefined),
  };
}
