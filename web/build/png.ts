import { renderAsync } from '@resvg/resvg-js';
import sharp from 'sharp';

type PngOptions = { width?: number; background?: string; opaque?: boolean };

/** Draws an SVG as a small PNG: the renderer's own encoder takes two to four times the bytes. */
export async function drawPng(
  svg: string,
  { width, background, opaque = !!background }: PngOptions,
) {
  const image = await renderAsync(svg, {
    font: { loadSystemFonts: false },
    ...(width && { fitTo: { mode: 'width', value: width } }),
    ...(background && { background }),
  });
  const raw = { width: image.width, height: image.height, channels: 4 } as const;
  // The colours of `pixels` are premultiplied by their opacity; those of `asPng()` aren't.
  const drawn = opaque ? sharp(image.pixels, { raw }).removeAlpha() : sharp(image.asPng());
  return drawn.png({ compressionLevel: 9 }).toBuffer();
}
