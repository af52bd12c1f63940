/**
 * The development server: pages rendered on request and hydrated as in production, with hot reload of code and content.
 * Mistakes in the content are shown in the terminal and over the page. Forms go to the real server (`FRONTDOOR_URL`).
 */
import { randomUUID } from 'node:crypto';
import { extname } from 'node:path';
import { type Connect, createServer, type Plugin } from 'vite';
import type * as EntryServer from '../src/entry-server.tsx';
import { frameFile, pageFile } from './bundles.ts';
import { type LoadedContent, loadContent } from './content.ts';
import { types } from './dist.ts';
import { buildFontFiles } from './fonts.ts';
import { icons } from './icons.ts';
import { warn } from './mistakes.ts';
import { paths } from './paths.ts';
import { backgroundColour, brandPlugin } from './recolour.ts';
import { printDocument } from './template.ts';

const backend = process.env.FRONTDOOR_URL ?? 'http://127.0.0.1:8080';
/** In milliseconds: while an editor saves a file, the file may be gone for a moment. */
const pauseAfterChange = 30;

const fonts = await buildFontFiles();
/** The content when it was last valid, and why there is nothing newer. */
let loaded: LoadedContent | undefined;
let contentError: Error | undefined;
await readContent();

const pages: Plugin = {
  name: 'pages',
  /** Pages are rendered on the server: a change of code needs a reload, a change of styles doesn't. */
  handleHotUpdate({ file, server }) {
    if (!/\.(tsx?|json)$/.test(file)) return;
    server.hot.send({ type: 'full-reload' });
    return [];
  },
  // Runs after Vite's handling of files, and before its error overlay.
  configureServer: (server) => () => server.middlewares.use(handleRequest),
};

const vite = await createServer({
  root: paths.web,
  appType: 'custom',
  plugins: [brandPlugin(() => loaded?.content.site.brand), pages],
  css: { modules: { generateScopedName: '[name]_[local]' } },
  // A package that Vite found only when an island wakes would reload the page.
  optimizeDeps: { entries: ['src/entry-client.ts', 'src/app.tsx', 'src/pages/*/page.tsx'] },
  server: {
    host: '127.0.0.1',
    port: Number(process.env.PORT ?? 5173),
    strictPort: true,
    proxy: { '/api': backend, '/newsletter': backend },
  },
});

async function readContent() {
  try {
    loaded = await loadContent(paths.content, paths.pictures, { drafts: true });
    warn(loaded.warnings);
    contentError = undefined;
  } catch (error) {
    // A stack trace through the build's code would only hide the message.
    contentError = Object.assign(error as Error, { stack: '' });
    console.error(`\n${contentError.message}\n`);
  }
}

async function showContent() {
  const before = JSON.stringify(loaded?.content.site.brand);
  await readContent();
  const { client, ssr } = vite.environments;
  if (contentError) {
    client.hot.send({ type: 'error', err: { message: contentError.message, stack: '' } });
    return;
  }
  if (before !== JSON.stringify(loaded?.content.site.brand))
    for (const { moduleGraph } of [client, ssr]) moduleGraph.invalidateAll();
  client.hot.send({ type: 'full-reload' });
}

function watchContent() {
  const folders = [paths.content, paths.pictures];
  let waiting: NodeJS.Timeout | undefined;
  let reading = Promise.resolve();
  vite.watcher.add(folders);
  vite.watcher.on('all', (_, file) => {
    if (!folders.some((folder) => file.startsWith(folder))) return;
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      reading = reading.then(showContent);
    }, pauseAfterChange);
  });
}

async function handleRequest(...[request, response, next]: Parameters<Connect.NextHandleFunction>) {
  if (contentError || !loaded) return next(contentError);
  const url = new URL(request.url ?? '/', backend);
  const iconFiles = await icons(loaded.mark, backgroundColour(loaded.content.site.brand));
  const file =
    loaded.files.get(url.pathname) ??
    fonts.files.get(url.pathname) ??
    iconFiles.find(({ path }) => path === url.pathname)?.data;
  if (file) {
    response.setHeader('content-type', types[extname(url.pathname)] ?? 'application/octet-stream');
    return response.end(file);
  }
  try {
    const { status, html } = await renderPage(url.pathname, loaded);
    response.statusCode = status;
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(await vite.transformIndexHtml(url.pathname, html));
  } catch (error) {
    next(error);
  }
}

/** Styles come with the modules that import them here, so the page's own module is loaded, too. */
const loader =
  "const all=document.currentScript.dataset.entry.split(' ');addEventListener('DOMContentLoaded',()=>all.forEach(file=>import(file)))";

async function renderPage(path: string, { content }: LoadedContent) {
  const { pageFiles, render } = (await vite.ssrLoadModule(
    '/src/entry-server.tsx',
  )) as typeof EntryServer;
  const all = pageFiles(content);
  const missing = path.startsWith('/blog/') ? 'post-not-found' : 'not-found';
  const target =
    all.find((candidate) => !candidate.template && candidate.path === path) ??
    all.find((candidate) => candidate.template === missing);
  if (!target) throw new Error(`there is no page for ${path}`);
  const { html, head } = render(content, target);
  const modules = [frameFile, pageFile(target.page), 'src/entry-client.ts'];
  return {
    status: target.status,
    html: printDocument({
      head,
      body: html,
      css: '',
      fonts,
      // Each page has a version of its own, so it is loaded as a document, with its styles.
      pagesVersion: randomUUID(),
      script: { loader, entry: modules.map((file) => `/${file}`).join(' ') },
      site: content.site,
    }),
  };
}

watchContent();
await vite.listen();
console.log(`${vite.resolvedUrls?.local[0]} (forms go to ${backend})`);
