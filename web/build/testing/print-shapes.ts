/**
 * Prints the pages of the site in other shapes, without their scripts, for a browser to look at:
 * `node print-shapes.ts FOLDER '{"five":{"count":5,"filled":false}}'` writes `FOLDER/five.json`, HTML by path.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildServer, buildStyles } from '../bundles.ts';
import { loadContent } from '../content.ts';
import type { Source } from '../content-plugin.ts';
import { buildMedia } from '../media.ts';
import { paths } from '../paths.ts';
import { classesOf, prune } from '../prune.ts';
import { inkOf } from '../recolour.ts';
import { printDocument } from '../template.ts';
import { frozen } from './frozen.ts';
import { type Shape, shaped } from './shapes.ts';

const [, , folder = '', wanted = '{}'] = process.argv;
const loaded = await loadContent(frozen.content, paths.pictures);
const { content } = loaded;
const media = await buildMedia(loaded);
const plain: Source = { content, media };
const pages = ['home', 'services', 'about', 'contact', 'pricing', 'checkout-success', 'not-found'];
const styles = await buildStyles(plain, pages);

for (const [name, shape] of Object.entries(JSON.parse(wanted) as Record<string, Shape>)) {
  const source: Source = { content: shaped(content, shape), media };
  const { pageFiles, render } = await buildServer(source, join(paths.cache, `shape-${name}`));
  const files = pageFiles().filter(({ page }) => pages.includes(page));
  const rendered = await Promise.all(
    files.map(async (file) => ({ file, ...(await render(file)) })),
  );
  const isShown = classesOf(
    rendered.map(({ html }) => html),
    [],
  );
  const documents = rendered.map(({ file, head, html }) => [
    file.template ? `/${file.template}` : file.path,
    printDocument({
      head,
      body: html,
      frameCss: media.fontCss + prune(styles.frame, isShown),
      ownCss: prune(styles.own(file.page), isShown),
      fonts: media.fonts,
      release: name,
      script: undefined,
      feedTitle: content.site.name,
      ink: inkOf(content.site.brand),
    }),
  ]);
  await writeFile(join(folder, `${name}.json`), JSON.stringify(Object.fromEntries(documents)));
}
