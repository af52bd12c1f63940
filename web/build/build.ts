/**
 * Makes `web/dist/site.pack`: every page as complete HTML, every asset, and how
 * to serve them, for the binary to carry.
 *
 * content → media → bundles → pages → links → one file.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { buildLoader, buildScripts, buildServer, buildStyles } from './bundles.ts';
import { cache } from './cache.ts';
import { loadContent } from './content.ts';
import type { Source } from './content-plugin.ts';
import { type Addition, Dist } from './dist.ts';
import { machineDocuments } from './documents.ts';
import { checkLinks } from './links.ts';
import { buildMedia, icons, readMark } from './media.ts';
import { ContentError } from './mistakes.ts';
import { ogImages } from './og-images.ts';
import { paths } from './paths.ts';
import { classesOf, prune } from './prune.ts';
import { writeServerFacts } from './server-facts.ts';
import { cspHash, printDocument } from './template.ts';

async function main() {
  const { content, links, photos } = await loadContent(paths.content, paths.pictures);
  const source: Source = { content, media: await buildMedia(photos) };
  const dist = new Dist();

  const [scripts, loader, { pageFiles, render }] = await Promise.all([
    buildScripts(source),
    buildLoader(source),
    buildServer(source),
  ]);
  const styles = await buildStyles(source, [...new Set(pageFiles().map(({ page }) => page))]);
  const bare = await Promise.all(
    pageFiles().map(async (document) => ({ document, ...(await render(document)) })),
  );
  const code = [...scripts.files.values()].map(String);
  const isShown = (...pages: string[]) => {
    const shown =
      pages.length === 0 ? bare : bare.filter((one) => pages.includes(one.document.page));
    return classesOf(
      shown.map(({ html }) => html),
      code,
    );
  };
  const frameCss = source.media.fontCss + prune(styles.frame, isShown());
  const contents = bare.map((one) => {
    const { page } = one.document;
    // The blog shows a post in a window of its own.
    const shown = page === 'blog' ? isShown(page, 'post') : isShown(page);
    return { ...one, ownCss: prune(styles.own(page), shown) };
  });
  const release = digest(
    frameCss,
    scripts.entry,
    ...contents.flatMap(({ html, head, ownCss }) => [html, head, ownCss]),
  );
  const rendered = contents.map(({ document, html, head, meta, ownCss }) => {
    const page = printDocument({
      head,
      body: html,
      frameCss,
      ownCss,
      fonts: source.media.fonts,
      release,
      script: document.script ? { loader, entry: scripts.entry } : undefined,
      feedTitle: content.site.name,
    });
    return { document, meta, page, ownCss };
  });

  const files: Addition[] = rendered.map(({ document, page, ownCss }) => {
    const { template, path, status, script } = document;
    const entry = {
      path: template ?? path,
      kind: template ? ('template' as const) : ('page' as const),
      status,
      scriptHashes: script ? [cspHash(loader)] : [],
      styleHashes: [cspHash(frameCss), cspHash(ownCss)],
    };
    return [entry, page];
  });
  for (const [path, data] of [...scripts.files, ...source.media.files]) {
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

/** Tells one release from another: any change to a page or a script makes a new one. */
function digest(...parts: string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('base64url').slice(0, 8);
}

/** Some browsers hold a picture to the policy it is sent with, its own style included. */
function pictureStyles(path: string, data: Buffer): { styleHashes?: string[] } {
  const style = path.endsWith('.svg') && /<style>([\s\S]*?)<\/style>/.exec(data.toString())?.[1];
  return style ? { styleHashes: [cspHash(style)] } : {};
}

try {
  await main();
} catch (error) {
  if (!(error instanceof ContentError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
