/** The site's icons in the sizes browsers and home screens ask for, all from one drawing. */
import { cache } from './cache.ts';
import { drawPng } from './png.ts';

export const icons = (mark: string, background: string) =>
  cache.getOrMake('icons', [mark, background], () => buildIcons(mark, background));

/** `background` is the colour behind the mark in opaque icons. */
export async function buildIcons(markSvg: string, background: string) {
  const draw = (width: number) => drawPng(markSvg, { width });
  const favicons = [16, 32, 48].map(async (size) => ({ size, png: await draw(size) }));
  return [
    { path: '/favicon.ico', data: packIco(await Promise.all(favicons)) },
    { path: '/favicon.svg', data: Buffer.from(markSvg) },
    // Home screens round the corners themselves, so they get a full square.
    { path: '/apple-touch-icon.png', data: await drawOn(background, markSvg, 0.7, 180) },
    { path: '/icon-192.png', data: await draw(192) },
    { path: '/icon-512.png', data: await draw(512) },
    // A maskable icon may be cut to a circle of 80 %, and the square mark must fit inside that.
    { path: '/icon-maskable-512.png', data: await drawOn(background, markSvg, 0.54, 512) },
  ];
}

/** The mark at a share of the width, in the middle of an opaque square. */
function drawOn(background: string, markSvg: string, share: number, size: number) {
  const padded = markSvg.replace(/viewBox="0 0 (\d+) \1"/, (_, side) => {
    const whole = Number(side) / share;
    const margin = (Number(side) - whole) / 2;
    return `viewBox="${margin} ${margin} ${whole} ${whole}"`;
  });
  return drawPng(padded, { width: size, background });
}

/** The ICO container: a header, one directory entry per image, then the PNG files as they are. */
function packIco(images: { size: number; png: Buffer }[]): Buffer {
  const header = Buffer.alloc(6);
  header.writeUInt16LE(1, 2);
  header.writeUInt16LE(images.length, 4);
  let offset = header.length + images.length * 16;
  const entries = images.map(({ size, png }) => {
    const entry = Buffer.alloc(16);
    entry.writeUInt8(size, 0);
    entry.writeUInt8(size, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(png.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += png.length;
    return entry;
  });
  return Buffer.concat([header, ...entries, ...images.map(({ png }) => png)]);
}
