/**
 * The peers of our pages: what a static site generator's template would serve.
 * Each is our own page (HTML, inlined CSS, fonts, pictures, headers) without
 * any script, from memory, so that all that differs is what the scripts cost.
 */
import {
  type Answers,
  asServed,
  compressed,
  filesOf,
  plain,
  type Served,
  serve,
  withoutScripts,
} from './answers.ts';

const preloadPattern = /<link[^>]*(?:modulepreload|as="script")[^>]*>/g;
const runsPattern = /<script(?![^>]*type="application\/ld\+json")/;

/** Serves the pages made from the program's at `origin`, under the same paths. */
export async function servePlainPages(origin: string, paths: string[]): Promise<Served> {
  const answers: Answers = new Map();
  for (const path of paths) {
    const page = await asServed(new URL(path, origin));
    const html = bareOf(new TextDecoder().decode(plain(page)));
    answers.set(path, compressed(html, page.headers));
    for (const [file, answer] of await filesOf(html, origin)) answers.set(file, answer);
  }
  return serve(answers);
}

function bareOf(html: string): string {
  const bare = withoutScripts(html).replace(preloadPattern, '');
  // A peer that still runs something, or never did, would be compared for nothing.
  if (bare === html || runsPattern.test(bare)) throw new Error('the scripts were not found');
  return bare;
}
