import { expect, it } from 'vitest';
import { decodeHash } from './decode-hash.ts';

it.each([
  ['web', 'web'],
  ['caf%C3%A9', 'café'],
  ['%', '%'],
  ['%E0%A4%A', '%E0%A4%A'],
])('%s stands for %s', (hash, id) => expect(decodeHash(hash)).toBe(id));
