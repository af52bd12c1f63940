/**
 * A release: the built site as one file, which the program contains, serves from elsewhere (`frontdoor serve --site`),
 * or stores in its database (`frontdoor publish`). The server reads it in `src/http/site/release.rs`.
 *
 *     frontdoor release 1 sha256 9f86d081884c7d65…     the format, and the checksum of the rest
 *     {"facts":{…},"bodies":[…],"editions":[…]}        the server's own texts, and how to serve each file
 *     the bodies, one after the other, in the order of their list
 *
 * An edition is the whole site from a certain time on; the first is shown until the second begins, and each later one
 * adds the posts of its day. Editions share most bodies: each body is in the file once and is found by its tag.
 */
import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const headerPrefix = 'frontdoor release 1 sha256 ';

export type Entry = {
  path: string;
  kind: 'page' | 'asset' | 'document' | 'template';
  type: string;
  status: number;
  scriptHashes: string[];
  styleHashes: string[];
};

export type Encoding = 'identity' | 'br' | 'gzip';

export type Body = { encoding: Encoding; bytes: Buffer };

/** A file with its bytes: first as they are, then compressed. */
export type Packed = Entry & { bodies: Body[] };

export type Edition = {
  /** When it begins, in UTC; the first has no such time. */
  from: string | null;
  files: Packed[];
};

export type Release = { facts: unknown; editions: Edition[] };

type ReleaseIndex = {
  facts: unknown;
  bodies: { tag: string; length: number }[];
  editions: {
    from: string | null;
    files: (Entry & { bodies: { encoding: Encoding; tag: string }[] })[];
  }[];
};

export function pack({ facts, editions }: Release): Buffer {
  const bodies = new Map<string, Buffer>();
  const listed = editions.map(({ from, files }) => ({
    from,
    files: files.map((file) => ({
      ...file,
      bodies: file.bodies.map(({ encoding, bytes }) => {
        const bodyTag = tag(bytes);
        bodies.set(bodyTag, bytes);
        return { encoding, tag: bodyTag };
      }),
    })),
  }));
  const index: ReleaseIndex = {
    facts,
    bodies: [...bodies].map(([bodyTag, { length }]) => ({ tag: bodyTag, length })),
    editions: listed,
  };
  const content = Buffer.concat([Buffer.from(`${JSON.stringify(index)}\n`), ...bodies.values()]);
  return Buffer.concat([Buffer.from(`${headerPrefix}${checksum(content)}\n`), content]);
}

/** For tests. The server also compares the checksum. */
export function unpackRelease(release: Buffer): Release {
  const content = release.subarray(release.indexOf('\n') + 1);
  const indexEnd = content.indexOf('\n');
  const index: ReleaseIndex = JSON.parse(content.toString('utf8', 0, indexEnd));
  let at = indexEnd + 1;
  const bytesOf = new Map<string, Buffer>();
  for (const { tag: bodyTag, length } of index.bodies) {
    bytesOf.set(bodyTag, content.subarray(at, at + length));
    at += length;
  }
  const body = ({ encoding, tag }: { encoding: Encoding; tag: string }): Body => ({
    encoding,
    bytes: bytesOf.get(tag) ?? Buffer.of(),
  });
  const editions = index.editions.map(({ from, files }) => ({
    from,
    files: files.map((file) => ({ ...file, bodies: file.bodies.map(body) })),
  }));
  return { facts: index.facts, editions };
}

export const unpack = (release: Buffer): Packed[] =>
  unpackRelease(release).editions[0]?.files ?? [];

/** The server sends it as `ETag`. */
function tag(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest().subarray(0, 12).toString('base64url');
}

const checksum = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

export const text = ({ bodies }: Packed): string => bodies[0]?.bytes.toString() ?? '';

/** Leaves an unchanged file untouched: a new time would make Cargo compile the program again. */
export async function writeIfChanged(file: string, bytes: Buffer) {
  const before = await readFile(file).catch(() => undefined);
  if (before?.equals(bytes)) return;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}
