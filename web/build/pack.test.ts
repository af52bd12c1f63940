/** One file for the server: what goes in comes out, and is told apart by its tag. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Addition, Dist } from './dist.ts';
import { pack, tag, text, unpack } from './pack.ts';

const words = 'the same words over and over; '.repeat(20);
const page: Addition = [{ path: '/', kind: 'page', scriptHashes: ["'sha256-x'"] }, words];
const picture: Addition = [{ path: '/a.png', kind: 'document' }, Buffer.from([0, 10, 255])];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pack-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(...additions: Addition[]): Promise<string> {
  const dist = new Dist();
  await dist.addAll(additions);
  const file = join(folder, 'dist', 'site.pack');
  await dist.write(file);
  return file;
}

describe('a packed site', () => {
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

  it('begins with its name and a list that borrows nothing from the bodies', async () => {
    const [name, list] = (await readFile(await write(page), 'latin1')).split('\n');
    expect(name).toBe('frontdoor site 1');
    const [{ bodies }] = JSON.parse(list ?? '');
    expect(bodies[0]).toEqual({
      encoding: 'identity',
      tag: createHash('sha256').update(words).digest('base64url').slice(0, 16),
      length: words.length,
    });
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
    expect(() => unpack(Buffer.from('<!doctype html>\n'))).toThrow('not a packed site');
    expect(unpack(pack([]))).toEqual([]);
  });
});

it('other bytes have another tag', () => {
  expect(tag(Buffer.from('a'))).not.toBe(tag(Buffer.from('b')));
});

it('a file of an unknown type is refused by its name', async () => {
  await expect(write([{ path: '/a.xyz', kind: 'asset' }, ''])).rejects.toThrow('/a.xyz');
});
