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
export const opaquePng = (image: RenderedImage) => pack(image, image.pixels, 3);

/** The drawing as it is. Its raw pixels have their transparency worked in; those of its file do not. */
export const clearPng = (image: RenderedImage) => pack(image, PNG.sync.read(image.asPng()).data, 4);

function pack({ width, height }: RenderedImage, rgba: Buffer, channels: 3 | 4): Promise<Buffer> {
  const colorType = channels === 3 ? 2 : 6;
  const png = new PNG({
    width,
    height,
    colorType,
    inputColorType: colorType,
    inputHasAlpha: channels === 4,
    // The Paeth filter alone comes out smallest for sharp letters on a soft gradient.
    filterType: 4,
    deflateLevel: 8,
    deflateStrategy: 0,
  });
  png.data = keepBits(rgba, channels);
  return buffer(png.pack().pipe(new PassThrough()));
}

function keepBits(rgba: Buffer, channels: 3 | 4): Buffer {
  const kept = Buffer.alloc((rgba.length / 4) * channels);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += channels) {
    for (let k = 0; k < channels; k += 1) {
      kept[to + k] = (rgba[from + k] ?? 0) & (k < 3 ? KEPT_BITS : 0xff);
    }
  }
  return kept;
}
