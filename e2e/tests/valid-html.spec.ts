/** No page has an HTML error, in the eyes of the checker that follows the standard. */
import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { text, unpack } from '../../web/build/pack.ts';
import { frozen } from '../../web/build/testing/frozen.ts';

const site = join(frozen.dist, 'site.pack');
const checker = fileURLToPath(
  new URL('../html-checker/node_modules/vnu-jar/build/dist/vnu.jar', import.meta.url),
);

const limit = 300_000;

type Message = { type: string; message: string; url: string; extract?: string };

/** Every page and every template, filled in as the server would. */
async function copyPages(folder: string): Promise<string[]> {
  const files = unpack(await readFile(site));
  const pages = files.filter(({ kind }) => kind === 'page' || kind === 'template');
  await mkdir(folder, { recursive: true });
  return Promise.all(
    pages.map(async (file) => {
      const filled = text(file)
        .replaceAll(/\{\{\w+_invalid\}\}/g, 'true')
        .replaceAll(/\{\{\w+\}\}/g, 'words');
      // The checker's idea of CSS is years behind; the style sheet is the browser's to judge.
      const page = filled.replaceAll(/<style.*?<\/style>/gs, '');
      const copy = join(folder, `${file.path.replaceAll('/', '_')}.html`);
      await writeFile(copy, page);
      return copy;
    }),
  );
}

test('every page is valid HTML', async ({ browserName: _ }, testInfo) => {
  // Two seconds of work, on a machine that may have other things to do.
  test.setTimeout(limit);
  const pages = await copyPages(testInfo.outputPath('pages'));
  expect(pages.length).toBeGreaterThan(20);
  // A short run, in which compiling twice and many threads would not pay; the checker asks for the stack.
  const quick = ['-Xss4m', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'];
  const args = [...quick, '-jar', checker, '--errors-only', '--exit-zero-always'];
  const { stderr } = await promisify(execFile)('java', [...args, '--format', 'json', ...pages], {
    maxBuffer: 32 * 1024 * 1024,
    timeout: limit,
  });
  const { messages } = JSON.parse(stderr) as { messages: Message[] };
  const errors = messages.map(
    ({ message, url, extract }) => `${url.split('/').at(-1)}: ${message} ${extract ?? ''}`,
  );
  expect(errors).toEqual([]);
});
