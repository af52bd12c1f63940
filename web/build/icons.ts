/** The site's icons in the sizes browsers and home screens ask for, all from one drawing. */
import { Resvg } from '@resvg/resvg-js';
import { encodePng } from './png.ts';

export interface IconFile {
  name: string;
  data: Buffer;
}

const INK = '#09080f';

export async function buildIcons(markSvg: string): Promise<IconFile[]> {
  return [
    {
      name: 'favicon.ico',
      data: packIco([16, 32, 48].map((size) => ({ size, png: draw(markSvg, size) }))),
    },
    { name: 'favicon.svg', data: Buffer.from(markSvg) },
    // Home screens round the corners themselves: they get a full square of ink around the mark.
    { name: 'apple-touch-icon.png', data: await drawOnInk(markSvg, 0.7, 180) },
    { name: 'icon-192.png', data: draw(markSvg, 192) },
    { name: 'icon-512.png', data: draw(markSvg, 512) },
    // A maskable icon may be cut to a circle of 80 %, and the square mark must fit inside that.
    { name: 'icon-maskable-512.png', data: await drawOnInk(markSvg, 0.54, 512) },
  ];
}

function render(svg: string, size: number) {
  const fitTo = { mode: 'width', value: size } as const;
  return new Resvg(svg, { fitTo, font: { loadSystemFonts: false } }).render();
}

function draw(svg: string, size: number): Buffer {
  return render(svg, size).asPng();
}

/** The mark at a share of the width, in the middle of an opaque square. */
function drawOnInk(markSvg: string, share: number, size: number): Promise<Buffer> {
  const side = share * 100;
  const offset = (100 - side) / 2;
  const mark = markSvg.replace(/<svg\b[^>]*>/, (root) =>
    root
      .replace(/\s(?:x|y|width|height)="[^"]*"/g, '')
      .replace('<svg', `<svg x="${offset}" y="${offset}" width="${side}" height="${side}"`),
  );
  const image = render(
    `<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" viewBox="0 0 100 100"><path fill="${INK}" d="M0 0h100v100H0z"/>${mark}</svg>`,
    size,
  );
  return encodePng(image.pixels, image.width, image.height);
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
