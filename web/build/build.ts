/**
 * Makes `web/dist/site.pack`: every page as complete HTML, every asset, and how
 * to serve them, for the binary to carry.
 *
 * content → media → browser bundle → server bundle → pages → links → one file.
 */
import { join } from 'node:path';
import { build, type InlineConfig, type Manifest } from 'vite';
import type * as EntryServer from '../src/entry-server.tsx';
import { cache } from './cache.ts';
import { Chunks } from './chunks.ts';
import { ContentError, loadContent } from './content.ts';
import { contentPlugin, proseFiles, type Source } from './content-plugin.ts';
import { type Addition, Dist } from './dist.ts';
import { machineDocuments } from './documents.ts';
import { checkLinks } from './links.ts';
import { buildMedia, icons, readMark } from './media.ts';
import { ogImages } from './og-images.ts';
import { targets } from './oldest.ts';
import { paths } from './paths.ts';
import { writeServerFacts } from './server-facts.ts';
import { cspHash, loader, printDocument } from './template.ts';

async function main() {
  const { content, links } = await loadContent(paths.content, paths.pictures);
  const source: Source = { content, media: await buildMedia() };
  const dist = new Dist();

  const [bundle, { pageFiles, render }] = await Promise.all([
    buildBrowser(source),
    buildServer(source),
  ]);
  const { chunks, css } = bundle;

  const rendered = await Promise.all(
    pageFiles().map(async (document) => {
      const { html, head, meta } = await render(document);
      const styles = chunks.styles(document.page);
      const style = source.media.fontCss + styles.map((url) => css.get(url) ?? '').join('');
      const page = printDocument({
        head,
        body: html,
        css: style,
        fonts: source.media.fonts,
        styles: document.script ? styles : [],
        modules: document.script ? chunks.scripts(document.page) : [],
        feedTitle: content.site.name,
      });
      return { document, meta, page, style };
    }),
  );

  const files: Addition[] = rendered.map(({ document, page, style }) => {
    const { template, path, status, script } = document;
    const entry = {
      path: template ?? path,
      kind: template ? ('template' as const) : ('page' as const),
      status,
      scriptHashes: script ? [cspHash(loader)] : [],
      styleHashes: [cspHash(style)],
    };
    return [entry, page];
  });
  for (const [path, data] of [...bundle.files, ...source.media.files, ...proseFiles(content)]) {
    files.push([{ path, kind: 'asset', ...pictureStyles(path, data) }, data]);
  }
  const mark = await readMark();
  for (const { name, data } of await icons(mark)) {
    files.push([{ path: `/${name}`, kind: 'document' }, data]);
  }
  const metas = rendered.map(({ meta }) => meta);
  for (const { path, data } of await ogImages(metas, content.site, mark)) {
    files.push([{ path, kind: 'document' }, data]);
  }
  const listed = rendered.filter(({ document }) => !document.template).map(({ meta }) => meta);
  for (const { path, text, type } of machineDocuments(content, listed, new Date())) {
    files.push([{ path, kind: 'document', ...(type && { type }) }, text]);
  }
  await dist.addAll(files);

  const pages = rendered.map(({ document, page }) => ({
    path: document.template ? `${document.path} (${document.template})` : document.path,
    html: page,
    listed: document.listed,
  }));
  checkLinks(pages, dist.paths, links);
  await writeServerFacts(content, join(paths.dist, 'server.json'));
  await dist.write(join(paths.dist, 'site.pack'));
  await cache.trim();
  console.log(`web/dist: ${pages.length} pages, ${dist.paths.size} files`);
}

/** Some browsers hold a picture to the policy it is sent with, its own style included. */
function pictureStyles(path: string, data: Buffer): { styleHashes?: string[] } {
  const style = path.endsWith('.svg') && /<style>([\s\S]*?)<\/style>/.exec(data.toString())?.[1];
  return style ? { styleHashes: [cspHash(style)] } : {};
}

const shared = (source: Source): InlineConfig => ({
  root: paths.web,
  logLevel: 'warn',
  plugins: [contentPlugin(source)],
});

/**
 * Left alone, each module that two pages share becomes a file of its own: two
 * dozen requests, and small files compress badly. So: what every page needs,
 * what pages of running text need, what all but the home page have, what else
 * pages share, and the page.
 */
const codeSplitting = {
  includeDependenciesRecursively: false,
  groups: [
    { name: 'core', tags: ['$initial' as const], priority: 2 },
    {
      name: 'reading',
      test: /\/(post-meta|prose|notice|newsletter-form)\.|content:(posts|newsletter)/,
      minShareCount: 2,
      priority: 1,
    },
    {
      name: 'contact',
      test: /\/(contact-form|contact-fact|use-draft)\.|content:contact-form/,
      minShareCount: 2,
      priority: 1,
    },
    {
      name: 'inner',
      test: /\/(page-hero|closing-call|server-filled)\./,
      minShareCount: 2,
      priority: 1,
    },
    { name: 'parts', test: /\/(src|contract)\/|content:services/, minShareCount: 2 },
  ],
};

/** Every name stands in a script, where chance does not compress: as short as stays unique. */
const shortNames = {
  entryFileNames: 'assets/[name]-[hash:6].js',
  chunkFileNames: 'assets/[name]-[hash:6].js',
  assetFileNames: 'assets/[name]-[hash:6][extname]',
};

async function buildBrowser(source: Source) {
  const result = await build({
    ...shared(source),
    build: {
      write: false,
      manifest: true,
      target: targets,
      cssMinify: true,
      // Module preloads would be requested before the first paint.
      modulePreload: { polyfill: false },
      rolldownOptions: {
        input: join(paths.web, 'src/entry-client.tsx'),
        output: { codeSplitting, ...shortNames },
      },
    },
  });
  if (!('output' in result)) throw new Error('the browser bundle has no output');

  const files = new Map<string, Buffer>();
  const css = new Map<string, string>();
  let manifest: Manifest = {};
  for (const item of result.output) {
    const data = Buffer.from(item.type === 'chunk' ? item.code : item.source);
    if (item.fileName === '.vite/manifest.json') {
      manifest = JSON.parse(data.toString());
      continue;
    }
    if (item.fileName.endsWith('.css')) css.set(`/${item.fileName}`, data.toString().trim());
    files.set(`/${item.fileName}`, data);
  }
  return { files, css, chunks: new Chunks(manifest) };
}

async function buildServer(source: Source): Promise<typeof EntryServer> {
  const outDir = join(paths.cache, 'server');
  await build({
    ...shared(source),
    build: { ssr: 'src/entry-server.tsx', outDir, emptyOutDir: true },
    ssr: { noExternal: true },
  });
  return import(join(outDir, `entry-server.js?${Date.now()}`));
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ContentError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
