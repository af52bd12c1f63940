/**
 * The home page as an Astro site: texts, pictures and fonts are those of the
 * project; what is made of them is Astro's.
 *
 * HOME_FILES names the folder with the files that the page refers to.
 */
import { join } from 'node:path';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { loadContent } from '../../../web/build/content.ts';
import { buildFontFiles } from '../../../web/build/fonts.ts';
import { paths } from '../../../web/build/paths.ts';
import { siteModules } from './site-modules.ts';

const { content } = await loadContent(paths.content, paths.pictures);

export default defineConfig({
  site: content.site.url,
  publicDir: process.env.HOME_FILES ?? 'public',
  integrations: [react()],
  // A style file would be a round trip before the first paint.
  build: { inlineStylesheets: 'always' },
  security: { csp: true },
  // No code is shown, and its colours would stand in the way of the policy.
  markdown: { syntaxHighlight: false },
  vite: {
    plugins: [siteModules(content, await buildFontFiles())],
    css: { modules: { generateScopedName: '[hash:base64:5]' } },
    // The components' own packages lie elsewhere: one React for all of them.
    resolve: {
      alias: { '@web': join(paths.web, 'src') },
      dedupe: ['react', 'react-dom'],
    },
  },
});
