import { afterEach, beforeEach } from 'vitest';
import { ContentCopy } from './content-copy.ts';

/** Begun anew for each test of the file that asks for it. */
export function copyForEachTest(): ContentCopy {
  const copy = new ContentCopy();
  beforeEach(() => copy.begin());
  afterEach(() => copy.dispose());
  return copy;
}
