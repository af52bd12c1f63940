/**
 * The built site as one file, which goes into the binary as it is:
 *
 *     frontdoor site 1
 *     [{"path":"/","kind":"page",…,"bodies":[{"encoding":"identity","tag":…,"length":…},…]},…]
 *     the bodies, one after the other, in the order of the list
 *
 * The server reads it in `src/http/site/embedded.rs`.
 */
import { createHash } from 'node:crypto';

const firstLine = 'frontdoor site 1\n';

/** How a file is served. */
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

/** A file with its bytes: as they are first, then compressed. */
export type Packed = Entry & { bodies: Body[] };

export function pack(files: Packed[]): Buffer {
  const list = files.map(({ bodies, ...entry }) => ({
    ...entry,
    bodies: bodies.map(({ encoding, bytes }) => ({
      encoding,
      tag: tag(bytes),
      length: bytes.length,
    })),
  }));
  const bodies = files.flatMap((file) => file.bodies.map(({ bytes }) => bytes));
  return Buffer.concat([Buffer.from(`${firstLine}${JSON.stringify(list)}\n`), ...bodies]);
}

export function unpack(site: Buffer): Packed[] {
  const listStart = Buffer.byteLength(firstLine);
  const listEnd = site.indexOf('\n', listStart);
  if (site.toString('utf8', 0, listStart) !== firstLine || listEnd < 0) {
    throw new Error('this is not a packed site');
  }
  const list: (Entry & { bodies: { encoding: Encoding; length: number }[] })[] = JSON.parse(
    site.toString('utf8', listStart, listEnd),
  );
  let rest = site.subarray(listEnd + 1);
  const next = (length: number) => {
    const bytes = rest.subarray(0, length);
    rest = rest.subarray(length);
    return bytes;
  };
  return list.map(({ bodies, ...entry }) => ({
    ...entry,
    bodies: bodies.map(({ encoding, length }) => ({ encoding, bytes: next(length) })),
  }));
}

/** What the server sends as `ETag`: another one for other bytes. */
export function tag(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest().subarray(0, 12).toString('base64url');
}

/** A file's bytes as they are, read as text. */
export const text = ({ bodies }: Packed): string => bodies[0]?.bytes.toString() ?? '';
