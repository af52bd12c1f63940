/**
 * Makes `web/dist/site.pack`, a release: every page as complete HTML, every asset, how to serve them, and
 * what the server itself says.
 *
 * content, with its pictures → bundles → pages of each edition → links → one file.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { buildLoader, buildScripts, buildServer, buildStyles } from './bundles.ts';
import { cache } from './cache.ts';
import { loadContent } from './content.ts';
import { type Addition, compressFiles } from './dist.ts';
import { machineDocuments } from './documents.ts';
import { editions } from './editions.ts';
import { checkLinks } from './links.ts';
import { buildFontFiles, icons, ogImages } from './media.ts';
import { ContentError, type Mistake, warn } from './mistakes.ts';
import { type Edition, pack, writeIfChanged } from './pack.ts';
import { buildDate, paths } from './paths.ts';
import { groundColour } from './recolour.ts';
import { serverFacts, writeServerFacts } from './server-facts.ts';
import { pageStyles } from './styles.ts';
import { cspHash, printDocument } from './template.ts';

async function main() {
  const now = buildDate();
  const loaded = await loadContent(paths.content, paths.pictures);
  warn(loaded.warnings);
  const { brand } = loaded.content.site;
  const dated = editions(loaded.content, loaded.links, now);

  const [fonts, scripts, loader, { pageFiles, render }] = await Promise.all([
    buildFontFiles(),
    buildScripts(brand),
    buildLoader(),
    buildServer(),
  ]);
  const bare = dated.map(({ content }) =>
    pageFiles(content).map((document) => ({ document, ...render(content, document) })),
  );
  // Of all editions: a style is the same in each.
  const shown = bare.flat().map(({ document, html }) => ({ page: document.page, html }));
  const stylesOf = await buildStyles([...new Set(shown.map(({ page }) => page))], brand);
  const styles = pageStyles(stylesOf, shown, [...scripts.files.values()].map(String));
  const rendered = bare.map((edition) =>
    edition.map((one) => ({ ...one, css: styles.get(one.document.page) ?? '' })),
  );
  // The same in all editions: their scripts and styles are, and so most pages stay as they are.
  const version = digest(
    fonts.css,
    scripts.entry,
    ...rendered.flat().flatMap(({ html, head, css }) => [html, head, css]),
  );
  const assets: Addition[] = [...scripts.files, ...loaded.files, ...fonts.files].map(
    ([path, data]) => [{ path, kind: 'asset', ...pictureStyles(path, data) }, data],
  );
  const ground = groundColour(brand);
  const shared = [
    ...assets,
    ...(await icons(loaded.mark, ground)).map(
      ({ name, data }): Addition => [{ path: `/${name}`, kind: 'document' }, data],
    ),
  ];

  const packed: Edition[] = [];
  // Those of all editions are told together, each once.
  const mistakes = new Map<string, Mistake>();
  for (const [nth, { from, content, links }] of dated.entries()) {
    const pages = (rendered[nth] ?? []).map(({ document, html, head, meta, css }) => {
      const page = printDocument({
        head,
        body: html,
        fontCss: fonts.css,
        css,
        fonts: fonts.urls,
        release: version,
        script: document.script ? { loader, entry: scripts.entry } : undefined,
        feedTitle: content.site.name,
        ground,
      });
      return { document, meta, page, css };
    });
    const files: Addition[] = pages.map(({ document, page, css }) => {
      const { template, path, status, script } = document;
      const entry = {
        path: template ?? path,
        kind: template ? ('template' as const) : ('page' as const),
        status,
        scriptHashes: script ? [cspHash(loader)] : [],
        styleHashes: [cspHash(fonts.css), cspHash(css)],
      };
      return [entry, page];
    });
    const metas = pages.map(({ meta }) => meta);
    for (const { path, data } of await ogImages(metas, content.site, loaded.mark)) {
      files.push([{ path, kind: 'document' }, data]);
    }
    const listed = pages.filter(({ document }) => !document.template).map(({ meta }) => meta);
    for (const { path, text, type } of machineDocuments(content, listed, now)) {
      files.push([{ path, kind: 'document', ...(type && { type }) }, text]);
    }
    const packedFiles = await compressFiles([...shared, ...files]);
    const filePaths = new Set(packedFiles.map(({ path }) => path));

    const checked = pages.map(({ document, page }) => ({
      path: document.template ? `${document.path} (${document.template})` : document.path,
      html: page,
      listed: document.listed,
    }));
    for (const mistake of checkLinks(checked, filePaths, links))
      mistakes.set(JSON.stringify(mistake), mistake);
    packed.push({ from, files: packedFiles });
    console.log(
      `web/dist${from ? ` from ${from}` : ''}: ${listed.length} pages, ${packedFiles.length} files`,
    );
  }
  if (mistakes.size > 0) throw new ContentError([...mistakes.values()]);
  await writeServerFacts(loaded.content, join(paths.dist, 'server.json'));
  const release = { facts: serverFacts(loaded.content), editions: packed };
  await writeIfChanged(join(paths.dist, 'site.pack'), pack(release));
  await cache.trim();
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
  console.error(
    `${error.message}\nThe site was not built: fix what is listed above and try again.`,
  );
  process.exitCode = 1;
}
