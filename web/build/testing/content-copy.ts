/** The tests' content, and copies that a test can change. */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { Content } from '../../src/content/types.ts';
import { loadContent } from '../content.ts';
import { ContentError } from '../mistakes.ts';
import { paths } from '../paths.ts';
import { frozen } from './frozen.ts';

export const frozenContent = async (): Promise<Content> =>
  (await loadContent(frozen.content, paths.pictures)).content;

export class ContentCopy {
  folder = '';

  async begin() {
    this.folder = await mkdtemp(join(tmpdir(), 'content-'));
    await cp(frozen.content, this.content, { recursive: true });
  }

  get content(): string {
    return join(this.folder, 'content');
  }

  load(options?: { drafts: boolean }) {
    return loadContent(this.content, paths.pictures, options);
  }

  /** The mistakes, one a line; if there are none, the test fails. */
  async mistakes(): Promise<string[]> {
    const error = await this.load().catch((reason: unknown) => reason);
    if (!(error instanceof ContentError)) throw new Error(`not a ContentError: ${error}`);
    return error.message.split('\n');
  }

  /** The warnings, one a line; mistakes would fail the test. */
  async warnings(): Promise<string[]> {
    const { warnings } = await this.load();
    return warnings.map(({ file, field, message }) => `${file}: ${field}: ${message}`);
  }

  read(file: string): Promise<string> {
    return readFile(join(this.content, file), 'utf8');
  }

  async write(file: string, data: string | Buffer) {
    await writeFile(join(this.content, file), data);
  }

  /** Changes the first match; without one the test would prove nothing. */
  async change(file: string, pattern: RegExp, replacement: string) {
    const text = await this.read(file);
    if (!pattern.test(text)) throw new Error(`${file} has nothing like ${pattern}`);
    await this.write(file, text.replace(pattern, replacement));
  }

  async remove(file: string) {
    await rm(join(this.content, file), { recursive: true });
  }

  async dispose() {
    await rm(this.folder, { recursive: true, force: true });
  }
}

export function copyForEachTest(): ContentCopy {
  const copy = new ContentCopy();
  beforeEach(() => copy.begin());
  afterEach(() => copy.dispose());
  return copy;
}

export const samplePost = (extra = '', body = 'A *sample* body.') => `+++
title = "A sample post & more"
excerpt = "What a sample says."
description = "A post made by a test."
date = 2031-05-17
categories = ["Samples"]
${extra}
+++

${body}
`;
