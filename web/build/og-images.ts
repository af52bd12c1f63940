/** One Open Graph picture a page. */
import type { Site } from '../src/content/types.ts';
import type { PageMeta } from '../src/lib/head.ts';
import { cache } from './cache.ts';
import { inParallel } from './in-parallel.ts';

export async function ogImages(metas: PageMeta[], site: Site, mark: string) {
  const { mark: _, ...colours } = site.brand ?? {};
  const pictures = new Map(metas.map(({ picture }) => [`/og/${picture.name}.png`, picture]));
  const images: { path: string; data: Buffer }[] = [];
  await inParallel(pictures, async ([path, { title, kicker }]) => {
    const input = { title, kicker, siteName: site.name, tagline: site.tagline, mark, colours };
    const data = await cache.getOrMake('og', [JSON.stringify(input)], async () =>
      (await import('./og.ts')).buildOgImage(input),
    );
    images.push({ path, data });
  });
  return images;
}
