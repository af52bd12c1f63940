/** One Open Graph picture a page, kept between builds since drawing takes longest. */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Site } from '../src/content/types.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { inParallel } from './in-parallel.ts';
import { buildOgImage, type OgInput } from './og.ts';
import { paths } from './paths.ts';

export async function ogImages(metas: PageMeta[], site: Site) {
  const cache = join(paths.cache, 'og');
  await mkdir(cache, { recursive: true });
  // The pictures change with the code that draws them, too.
  const code = await readFile(new URL('./og.ts', import.meta.url));
  const draw = async (key: string, input: OgInput): Promise<Buffer> => {
    const file = join(cache, `${key}.png`);
    const kept = await readFile(file).catch(() => undefined);
    const data = kept ?? (await buildOgImage(input));
    if (!kept) await writeFile(file, data);
    return data;
  };

  const pictures = new Map(metas.map(({ picture }) => [`/og/${picture.name}.png`, picture]));
  const drawn = new Map<string, Promise<Buffer>>();
  const images: { path: string; data: Buffer }[] = [];
  await inParallel(pictures, async ([path, { title, kicker }]) => {
    const input = { title, kicker, siteName: site.name, tagline: site.tagline };
    const key = createHash('sha256').update(code).update(JSON.stringify(input)).digest('hex');
    const drawing = drawn.get(key) ?? draw(key, input);
    drawn.set(key, drawing);
    images.push({ path, data: await drawing });
  });
  return images;
}
