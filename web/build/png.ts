/**
 * Packs what was drawn as a small PNG. The renderer's own encoder aims at speed and keeps an alpha
 * channel, needed or not: twice to four times the bytes.
 */
import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { RenderedImage } from '@resvg/resvg-js';
import { PNG } from 'pngjs';

// The last bit of a colour is invisible, and a soft gradient packs a fifth smaller without it.
const KEPT_BITS = 0xfe;

/** The drawing without its transparency, which it must not need. */
export const opaquePng = (image: RenderedImage) => pack(image, image.pixels, 2);

/** The drawing as it is. Its raw pixels have their transparency worked in; those of its file do not. */
export const clearPng = (image: RenderedImage) => pack(image, PNG.sync.read(image.asPng()).data, 6);

function pack({ width, height }: RenderedImage, rgba: Buffer, colorType: 2 | 6): Promise<Buffer> {
  // The Paeth filter alone comes out smallest for sharp letters on a soft gradient.
  const how = { filterType: 4, deflateLevel: 8, deflateStrategy: 0 };
  const png = new PNG({ width, height, colorType, ...how });
  png.data = Buffer.from(rgba.map((byte, i) => (i % 4 === 3 ? byte : byte & KEPT_BITS)));
  return buffer(png.pack().pipe(new PassThrough()));
}
