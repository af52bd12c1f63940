/**
 * Prints the pages of the site in other variants, without their scripts, for a browser to look at:
 * `node print-variants.ts FOLDER '{"five":{"count":5,"filled":false}}'` writes `FOLDER/five.json`, HTML by path.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildServer, buildStyles } from '../bundles.ts';
import { loadContent } from '../content.ts';
import { buildFontFiles } from '../media.ts';
import { paths } from '../paths.ts';
import { groundColour } from '../recolour.ts';
import { classesOf, prune } from '../styles.ts';
import { printDocument } from '../template.ts';
import { asVariant, type Variant } from './content-variants.ts';
import { frozen } from './frozen.ts';

const [, , folder = '', wanted = '{}'] = process.argv;
const { content } = await loadContent(frozen.content, paths.pictures);
const fonts = await buildFontFiles();
const pages = ['home', 'services', 'about', 'contact', 'pricing', 'checkout-success', 'not-found'];
const styles = await buildStyles(pages);
const { pageFiles, render } = await buildServer();

for (const [name, variant] of Object.entries(JSON.parse(wanted) as Record<string, Variant>)) {
  const shown = asVariant(content, variant);
  const files = pageFiles(shown).filter(({ page }) => pages.includes(page));
  const rendered = files.map((file) => ({ file, ...render(shown, file) }));
  const isShown = classesOf(
    rendered.map(({ html }) => html),
    [],
  );
  const documents = rendered.map(({ file, head, html }) => [
    file.template ? `/${file.template}` : file.path,
    printDocument({
      head,
      body: html,
      sharedCss: fonts.css + prune(styles.frame, isShown),
      pageCss: prune(styles.own(file.page), isShown),
      fonts: fonts.urls,
      release: name,
      script: undefined,
      feedTitle: content.site.name,
      ground: groundColour(content.site.brand),
    }),
  ]);
  await writeFile(join(folder, `${name}.json`), JSON.stringify(Object.fromEntries(documents)));
}
