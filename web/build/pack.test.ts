import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it, onTestFinished } from 'vitest';
import { type Addition, compressFiles } from './dist.ts';
import { pack, text, unpack, unpackRelease, writeIfChanged } from './pack.ts';

const words = 'the same words over and over; '.repeat(20);
const page: Addition = [{ path: '/', kind: 'page', scriptHashes: ["'sha256-x'"] }, words];
const bytes = Buffer.from([0, 10, 255]);
const picture: Addition = [{ path: '/a.png', kind: 'document' }, bytes];

const release = async (...additions: Addition[]) => {
  const files = await compressFiles(additions);
  return pack({ facts: { name: 'A' }, editions: [{ from: null, files }] });
};

it('gives back each file with its compressed forms', async () => {
  const [home, png, ...others] = unpack(await release(picture, page));
  expect(others).toEqual([]);
  expect(home).toMatchObject({ path: '/', type: 'text/html; charset=utf-8', status: 200 });
  expect(home?.scriptHashes).toEqual(["'sha256-x'"]);
  expect(home?.bodies.map(({ encoding }) => encoding)).toEqual(['identity', 'br', 'gzip']);
  expect(home && text(home)).toBe(words);
  expect(gunzipSync(home?.bodies[2]?.bytes ?? '').toString()).toBe(words);
  expect(png?.bodies).toEqual([{ encoding: 'identity', bytes }]);
});

it('begins with its format and the checksum of the rest', async () => {
  const packed = await release(page);
  const end = packed.indexOf('\n');
  const rest = packed.subarray(end + 1);
  const checksum = createHash('sha256').update(rest).digest('hex');
  expect(packed.toString('latin1', 0, end)).toBe(`frontdoor release 1 sha256 ${checksum}`);
  const list = JSON.parse(rest.toString('utf8', 0, rest.indexOf('\n')));
  const tag = createHash('sha256').update(words).digest('base64url').slice(0, 16);
  expect(list.facts).toEqual({ name: 'A' });
  expect(list.bodies[0]).toEqual({ tag, length: words.length });
  expect(list.editions[0].files[0].bodies[0]).toEqual({ encoding: 'identity', tag });
});

it('contains once what editions share', async () => {
  const later: Addition = [{ path: '/', kind: 'page' }, `${words} later`];
  const editions = [
    { from: null, files: await compressFiles([page, picture]) },
    { from: '2031-05-17T04:00:00Z', files: await compressFiles([later, picture]) },
  ];
  const packed = pack({ facts: {}, editions });
  expect(unpackRelease(packed)).toEqual({ facts: {}, editions });
  expect(packed.indexOf(bytes)).toBe(packed.lastIndexOf(bytes));
});

it('is written again only when something in it has changed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pack-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'dist', 'site.pack');
  const longAgo = new Date('2020-01-01');
  await writeIfChanged(file, await release(page));
  await utimes(file, longAgo, longAgo);
  await writeIfChanged(file, await release(page));
  expect((await stat(file)).mtime).toEqual(longAgo);
  await writeIfChanged(file, await release(page, picture));
  expect(unpack(await readFile(file))).toHaveLength(2);
});

it('is recognized, and nothing else is', () => {
  const empty = pack({ facts: {}, editions: [] });
  expect(() => unpack(Buffer.from('<!doctype html>\n'))).toThrow('not a release');
  expect(() => unpack(empty.subarray(0, -1))).toThrow('not a complete one');
});

it('a file of an unknown type is refused with its name', async () => {
  const unknown: Addition = [{ path: '/a.xyz', kind: 'asset' }, ''];
  await expect(compressFiles([unknown])).rejects.toThrow('/a.xyz');
});
