/** One Open Graph picture a page, kept between builds since drawing takes longest. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../src/content/types.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { buildOgImage } from './og.ts';
import { paths } from './paths.ts';

export async function ogImages(metas: PageMeta[], site: Site) {
  const cache = join(paths.cache, 'og');
  await mkdir(cache, { recursive: true });
  // The pictures change with the code that draws them, too.
  const code = await readFile(new URL('./og.ts', import.meta.url));

  const images = new Map<string, Buffer>();
  for (const { picture } of metas) {
    const path = `/og/${picture.name}.png`;
    if (images.has(path)) continue;
    const input = { ...picture, siteName: site.name, tagline: site.tagline };
    const key = createHash('sha256').update(code).update(JSON.stringify(input)).digest('hex');
    const file = join(cache, `${key}.png`);
    const kept = await readFile(file).catch(() => undefined);
    const data = kept ?? (await buildOgImage(input));
    if (!kept) await writeFile(file, data);
    images.set(path, data);
  }
  return [...images].map(([path, data]) => ({ path, data }));
}
