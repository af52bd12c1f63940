import { mkdtemp, readFile, rm, stat, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type Addition, compressFiles } from './dist.ts';
import { pack, unpack, unpackRelease, writeIfChanged } from './pack.ts';

const page: Addition = { path: '/', kind: 'page', data: 'words' };
const bytes = Buffer.from([0, 10, 255]);
const picture: Addition = { path: '/a.png', data: bytes };

const release = async (...additions: Addition[]) => {
  const files = await compressFiles(additions);
  return pack({ facts: { name: 'A' }, editions: [{ from: null, files }] });
};

it('contains once what editions share', async () => {
  const later: Addition = { ...page, data: 'other words' };
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

it('a file of an unknown type is refused with its name', async () => {
  await expect(compressFiles([{ path: '/a.xyz', data: '' }])).rejects.toThrow('/a.xyz');
});
