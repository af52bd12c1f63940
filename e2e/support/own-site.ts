/** The site with files of a test's own, built from a copy of the tests' content as an owner would build it. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Browser } from '@playwright/test';
import { frozen } from '../../web/build/testing/frozen.ts';
import { App } from './app.ts';
import { test } from './test.ts';

/** By their path in the content. */
type Files = Record<string, string | Buffer>;

/** A `test` whose program shows such a site; as its tests share it, it is built once. */
export const testWith = (files: (browser: Browser) => Promise<Files>) =>
  test.extend<object, { app: App }>({
    app: [
      async ({ browser }, use) => {
        const site = await OwnSite.build(await files(browser));
        const app = await App.start({ FRONTDOOR_SITE: site.release });
        await use(app);
        await app.dispose();
        await site.dispose();
      },
      { scope: 'worker', timeout: 240_000 },
    ],
  });

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));

class OwnSite {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async build(files: Files): Promise<OwnSite> {
    const site = new OwnSite(await mkdtemp(join(tmpdir(), 'own-site-')));
    const content = join(site.#folder, 'content');
    await cp(frozen.content, content, { recursive: true });
    for (const [path, data] of Object.entries(files)) await writeFile(join(content, path), data);
    const cache = join(site.#folder, 'cache');
    // What the build of the tests' site has made need not be made again.
    await cp(at('../../web/.cache/kept/'), join(cache, 'kept'), { recursive: true });
    const env = {
      ...process.env,
      FRONTDOOR_CONTENT: content,
      FRONTDOOR_WEB_DIST: site.release,
      FRONTDOOR_WEB_CACHE: cache,
    };
    const program = at('../../web/build/build.ts');
    await promisify(execFile)(process.execPath, [program], { cwd: at('../../web/'), env });
    return site;
  }

  /** What `frontdoor serve --site` shows. */
  get release(): string {
    return join(this.#folder, 'dist');
  }

  async dispose() {
    await rm(this.#folder, { recursive: true, force: true });
  }
}
