/** Packs what was drawn as a small PNG: the renderer's own encoder takes two to four times the bytes. */
import type { RenderedImage } from '@resvg/resvg-js';
import sharp from 'sharp';

const packing = { compressionLevel: 9 };

/** The drawing without its transparency, which it must not need. */
export const opaquePng = ({ pixels, width, height }: RenderedImage): Promise<Buffer> =>
  sharp(pixels, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png(packing)
    .toBuffer();

/** The drawing as it is. Its raw pixels have their transparency worked in; those of its file do not. */
export const clearPng = (image: RenderedImage): Promise<Buffer> =>
  sharp(image.asPng()).png(packing).toBuffer();
