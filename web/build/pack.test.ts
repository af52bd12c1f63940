/** A release: what goes in comes out, and is told apart by its tag. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Addition, Dist } from './dist.ts';
import { pack, tag, text, unpack, unpackRelease, writeIfChanged } from './pack.ts';

const words = 'the same words over and over; '.repeat(20);
const page: Addition = [{ path: '/', kind: 'page', scriptHashes: ["'sha256-x'"] }, words];
const picture: Addition = [{ path: '/a.png', kind: 'document' }, Buffer.from([0, 10, 255])];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function files(...additions: Addition[]) {
  const dist = new Dist();
  await dist.addAll(additions);
  return dist.files;
}

async function write(...additions: Addition[]): Promise<string> {
  const file = join(folder, 'dist', 'site.pack');
  const edition = { from: null, files: await files(...additions) };
  await writeIfChanged(file, pack({ facts: { name: 'A' }, editions: [edition] }));
  return file;
}

describe('a release', () => {
  it('gives back each file with its compressed forms', async () => {
    const [home, png, ...others] = unpack(await readFile(await write(picture, page)));
    expect(others).toEqual([]);
    expect(home).toMatchObject({ path: '/', type: 'text/html; charset=utf-8', status: 200 });
    expect(home?.scriptHashes).toEqual(["'sha256-x'"]);
    expect(home?.bodies.map(({ encoding }) => encoding)).toEqual(['identity', 'br', 'gzip']);
    expect(home && text(home)).toBe(words);
    expect(gunzipSync(home?.bodies[2]?.bytes ?? '').toString()).toBe(words);
    expect(png?.bodies).toEqual([{ encoding: 'identity', bytes: Buffer.from([0, 10, 255]) }]);
  });

  it('begins with its format and the checksum of the rest', async () => {
    const bytes = await readFile(await write(page));
    const end = bytes.indexOf('\n');
    const checksum = createHash('sha256')
      .update(bytes.subarray(end + 1))
      .digest('hex');
    expect(bytes.toString('latin1', 0, end)).toBe(`frontdoor release 1 sha256 ${checksum}`);
    const list = JSON.parse(bytes.toString('utf8', end + 1, bytes.indexOf('\n', end + 1)));
    const known = createHash('sha256').update(words).digest('base64url').slice(0, 16);
    expect(list.facts).toEqual({ name: 'A' });
    expect(list.bodies[0]).toEqual({ tag: known, length: words.length });
    expect(list.editions[0].files[0].bodies[0]).toEqual({ encoding: 'identity', tag: known });
  });

  it('has what editions share once, and gives each its own', async () => {
    const later: Addition = [{ path: '/', kind: 'page' }, `${words} later`];
    const editions = [
      { from: null, files: await files(page, picture) },
      { from: '2031-05-17T04:00:00Z', files: await files(later, picture) },
    ];
    const packed = pack({ facts: {}, editions });
    expect(unpackRelease(packed)).toEqual({ facts: {}, editions });
    expect(unpack(packed)).toEqual(editions[0]?.files);
    expect(packed.indexOf(Buffer.from([0, 10, 255]))).toBe(
      packed.lastIndexOf(Buffer.from([0, 10, 255])),
    );
  });

  it('is left alone when nothing in it has changed', async () => {
    const longAgo = new Date('2020-01-01');
    const file = await write(page);
    await utimes(file, longAgo, longAgo);
    await write(page);
    expect((await stat(file)).mtime).toEqual(longAgo);
    await write(page, picture);
    expect((await stat(file)).mtime).not.toEqual(longAgo);
  });

  it('is told from anything else', () => {
    const empty = pack({ facts: {}, editions: [] });
    expect(unpack(empty)).toEqual([]);
    expect(() => unpack(Buffer.from('<!doctype html>\n'))).toThrow('not a release');
    expect(() => unpack(empty.subarray(0, -1))).toThrow('not a whole one');
  });
});

it('other bytes have another tag', () => {
  expect(tag(Buffer.from('a'))).not.toBe(tag(Buffer.from('b')));
});

it('a file of an unknown type is refused by its name', async () => {
  await expect(write([{ path: '/a.xyz', kind: 'asset' }, ''])).rejects.toThrow('/a.xyz');
});
