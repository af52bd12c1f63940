/** Puts the owner's colours into the styles, and into the one script that draws in colour. */
import type { Root } from 'postcss';
import type { Plugin } from 'vite';
import { type Colours, recolouring } from './recolour.ts';

/** `colours` is asked each time: `make dev` follows the owner's changes. */
export function brandPlugin(colours: () => Colours | undefined): Plugin {
  const recolour = (text: string) => recolouring(colours())(text);
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
      worker: { plugins: () => [brandPlugin(colours)] },
    }),
    transform: (code, id) => (id.endsWith('/particles/particles.ts') ? recolour(code) : undefined),
  };
}
