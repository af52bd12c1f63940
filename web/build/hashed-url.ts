import { createHash } from 'node:crypto';

/** The address of an asset whose name changes with its content. */
export function hashedUrl(name: string, extension: string, data: Buffer | string): string {
  const hash = createHash('sha256').update(data).digest('base64url').slice(0, 8);
  return `/assets/${name}-${hash}.${extension}`;
}
