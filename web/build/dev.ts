/**
 * The development server: pages rendered on request and woken as in
 * production, with hot reload of code and content. Forms go to the real
 * server (`FRONTDOOR_URL`).
 */
import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { type Connect, createServer, type Plugin } from 'vite';
import type * as EntryServer from '../src/entry-server.tsx';
import { brandPlugin } from './brand-plugin.ts';
import { contentPlugin } from './content-plugin.ts';
import { types } from './dist.ts';
import { LiveContent } from './live-content.ts';
import { icons } from './media.ts';
import { paths } from './paths.ts';
import { inkOf } from './recolour.ts';
import { Styles } from './styles.ts';
import { printDocument } from './template.ts';

const backend = process.env.FRONTDOOR_URL ?? 'http://127.0.0.1:8080';
const port = Number(process.env.PORT ?? 5173);

const live = new LiveContent();
await live.read();

const pages: Plugin = {
  name: 'pages',
  /** A page is HTML once it is here: other code means another page, other styles do not. */
  handleHotUpdate({ file, server }) {
    if (!/\.(tsx?|json)$/.test(file)) return;
    server.hot.send({ type: 'full-reload' });
    return [];
  },
  // Behind Vite's own files, and before what shows an error over the page.
  configureServer: (server) => () => server.middlewares.use(answer),
};

const vite = await createServer({
  root: paths.web,
  appType: 'custom',
  plugins: [contentPlugin(live.source), brandPlugin(live.source), pages],
  // Found late, at the first touch of an island, a package would reload the page under the visitor's hands.
  optimizeDeps: { entries: ['src/entry-client.ts', 'src/app.tsx', 'src/pages/*/page.tsx'] },
  server: {
    host: '127.0.0.1',
    port,
    strictPort: true,
    proxy: { '/api': backend, '/newsletter': backend },
  },
});
live.watch(vite);

async function answer(...[request, response, next]: Parameters<Connect.NextHandleFunction>) {
  if (live.error) return next(live.error);
  const url = new URL(request.url ?? '/', `http://127.0.0.1:${port}`);
  const { media, content } = live.source;
  const iconFiles = await icons(media.mark, inkOf(content.site.brand));
  const file =
    media.files.get(url.pathname) ??
    iconFiles.find(({ name }) => url.pathname === `/${name}`)?.data;
  if (file) {
    response.setHeader('content-type', types[extname(url.pathname)] ?? 'application/octet-stream');
    return response.end(file);
  }
  try {
    const { status, html } = await page(url.pathname);
    response.statusCode = status;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(await vite.transformIndexHtml(url.pathname, html));
  } catch (error) {
    next(error);
  }
}

/** Here the styles come with the modules that import them, so a page's own is asked for, too. */
const loader =
  "const all=document.currentScript.dataset.entry.split(' ');addEventListener('DOMContentLoaded',()=>all.forEach(file=>import(file)))";

const print = (head: string, body: string, modules: string[]) =>
  printDocument({
    head,
    body,
    frameCss: live.source.media.fontCss,
    ownCss: '',
    fonts: live.source.media.fonts,
    // Each page is loaded anew: another page's styles would not come with it.
    release: randomUUID(),
    script: { loader, entry: modules.join(' ') },
    feedTitle: live.source.content.site.name,
    ink: inkOf(live.source.content.site.brand),
  });

async function page(path: string) {
  // Made by the browser alone, and in no build.
  if (path === '/components') {
    const html = print('<title>Components</title>', 'Components', ['/src/dev/components.tsx']);
    return { status: 200, html };
  }
  const { pageFiles, render } = (await vite.ssrLoadModule(
    '/src/entry-server.tsx',
  )) as typeof EntryServer;
  const all = pageFiles();
  const missing = path.startsWith('/blog/') ? 'post-not-found' : 'not-found';
  const document =
    all.find((candidate) => !candidate.template && candidate.path === path) ??
    all.find((candidate) => candidate.template === missing);
  if (!document) throw new Error(`there is no document for ${path}`);
  const { html, head } = await render(document);
  const modules = [Styles.frame, Styles.page(document.page), 'src/entry-client.ts'];
  return {
    status: document.status,
    html: print(
      head,
      html,
      modules.map((file) => `/${file}`),
    ),
  };
}

await vite.listen();
console.log(`http://127.0.0.1:${port} (forms go to ${backend})`);
