/**
 * The home page as an Astro site: texts, pictures and fonts are those of the
 * project, taken in by its own content plugin; what is made of them is Astro's.
 *
 * HOME_FILES names the folder with the files that the page refers to.
 */
import { join } from 'node:path';
import react from '@astrojs/react';
import { defineConfig } from 'astro/config';
import { loadContent } from '../../../web/build/content.ts';
import { contentPlugin } from '../../../web/build/content-plugin.ts';
import { buildMedia } from '../../../web/build/media.ts';
import { paths } from '../../../web/build/paths.ts';
import { fontsPlugin } from './fonts-plugin.ts';

const loaded = await loadContent(paths.content, paths.pictures);
const { content } = loaded;
const media = await buildMedia(loaded);

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
    plugins: [contentPlugin({ content, media }), fontsPlugin(media)],
    define: { __BUILD_YEAR__: new Date().getFullYear() },
    css: { modules: { generateScopedName: '[hash:base64:5]' } },
    // The components' own packages lie elsewhere: one React for all of them.
    resolve: {
      alias: { '@web': join(paths.web, 'src') },
      dedupe: ['react', 'react-dom'],
    },
  },
});
