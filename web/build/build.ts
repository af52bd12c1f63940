/**
 * Makes `web/dist/site.pack`, a release: every page as complete HTML, every asset, how to serve them, and
 * the server's own texts.
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
import { buildFontFiles } from './fonts.ts';
import { icons } from './icons.ts';
import { checkLinks } from './links.ts';
import { ContentError, type Mistake, warn } from './mistakes.ts';
import { ogImages } from './og.ts';
import { type Edition, pack, writeIfChanged } from './pack.ts';
import { buildDate, paths } from './paths.ts';
import { editions } from './posts.ts';
import { backgroundColour } from './recolour.ts';
import { serverFacts } from './server-facts.ts';
import { pageStyles } from './styles.ts';
import { cspHash, printDocument } from './template.ts';

async function main() {
  const now = buildDate();
  const loaded = await loadContent(paths.content, paths.pictures);
  warn(loaded.warnings);
  const { brand } = loaded.content.site;

  const [fonts, scripts, loader, { pageFiles, render }] = await Promise.all([
    buildFontFiles(),
    buildScripts(brand),
    buildLoader(),
    buildServer(),
  ]);
  const renderedEditions = editions(loaded.content, loaded.links, now).map((edition) => ({
    ...edition,
    rendered: pageFiles(edition.content).map((file) => ({
      ...file,
      ...render(edition.content, file),
    })),
  }));
  // All editions share styles and scripts, so most pages are the same in each.
  const allPages = renderedEditions.flatMap(({ rendered }) => rendered);
  const stylesOf = await buildStyles([...new Set(allPages.map(({ page }) => page))], brand);
  const styles = pageStyles(stylesOf, allPages, [...scripts.files.values()].map(String));
  const pagesVersion = digest(
    fonts.css,
    scripts.entry,
    ...styles.values(),
    ...allPages.flatMap(({ html, head }) => [html, head]),
  );
  const shared: Addition[] = [
    ...[...scripts.files, ...loaded.files, ...fonts.files].map(
      ([path, data]): Addition => ({ path, kind: 'asset', ...pictureStyles(path, data), data }),
    ),
    ...(await icons(loaded.mark, backgroundColour(brand))),
  ];

  const additions: { from: Edition['from']; files: Addition[]; pages: number }[] = [];
  // A mistake that several editions have is reported once.
  const mistakes = new Map<string, Mistake>();
  for (const { from, content, links, rendered } of renderedEditions) {
    const pages = rendered.map(({ head, html: body, ...file }) => {
      const css = styles.get(file.page) ?? '';
      const html = printDocument({
        head,
        body,
        css,
        fonts,
        pagesVersion,
        script: file.script ? { loader, entry: scripts.entry } : undefined,
        site: content.site,
      });
      const entry: Addition = {
        path: file.template ?? file.path,
        kind: file.template ? 'template' : 'page',
        status: file.status,
        scriptHashes: file.script ? [cspHash(loader)] : [],
        styleHashes: [cspHash(fonts.css), cspHash(css)],
        data: html,
      };
      return { ...file, html, entry };
    });
    const metas = pages.map(({ meta }) => meta);
    const listed = pages.filter(({ template }) => !template).map(({ meta }) => meta);
    const files = [
      ...shared,
      ...pages.map(({ entry }) => entry),
      ...(await ogImages(metas, content.site, loaded.mark)),
      ...machineDocuments(content, listed, now),
    ];
    additions.push({ from, files, pages: listed.length });

    const checked = pages.map(({ template, path, ...page }) => ({
      ...page,
      path: template ? `${path} (${template})` : path,
    }));
    for (const mistake of checkLinks(checked, new Set(files.map(({ path }) => path)), links))
      mistakes.set(JSON.stringify(mistake), mistake);
  }
  if (mistakes.size > 0) throw new ContentError([...mistakes.values()]);
  const packedEditions: Edition[] = [];
  for (const { from, files, pages } of additions) {
    packedEditions.push({ from, files: await compressFiles(files) });
    console.log(`web/dist${from ? ` from ${from}` : ''}: ${pages} pages, ${files.length} files`);
  }
  const facts = serverFacts(loaded.content);
  const json = Buffer.from(`${JSON.stringify(facts, null, 2)}\n`);
  await writeIfChanged(join(paths.dist, 'server.json'), json);
  await writeIfChanged(join(paths.dist, 'site.pack'), pack({ facts, editions: packedEditions }));
  await cache.trim();
}

/** The version of the pages: any change to a page or a script makes a new one. */
const digest = (...parts: string[]) =>
  createHash('sha256').update(parts.join('')).digest('base64url').slice(0, 8);

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
