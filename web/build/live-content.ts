/**
 * The content under the development server: read anew whenever one of its files changes, comes or
 * goes. What is wrong with it stands in the terminal and over the page, until it is right.
 */
import type { ViteDevServer } from 'vite';
import { loadContent } from './content.ts';
import { moduleIds, type Source } from './content-plugin.ts';
import { buildMedia } from './media.ts';
import { warn } from './mistakes.ts';
import { paths } from './paths.ts';

/** An editor that saves takes the file away for a moment. */
const moment = 30;

export class LiveContent {
  /** Filled once the content is right for the first time. */
  readonly source = {} as Source;
  /** Why there is nothing newer to show. */
  error: Error | undefined;
  #waiting: NodeJS.Timeout | undefined;
  #reading = Promise.resolve();

  async read() {
    try {
      const loaded = await loadContent(paths.content, paths.pictures, { drafts: true });
      const { content } = loaded;
      warn(loaded.warnings);
      Object.assign(this.source, { content, media: await buildMedia(loaded) } satisfies Source);
      this.error = undefined;
    } catch (error) {
      // Where in the build it was found does not help to mend it.
      this.error = Object.assign(error as Error, { stack: '' });
      console.error(`\n${this.error.message}\n`);
    }
  }

  watch(vite: ViteDevServer) {
    const folders = [paths.content, paths.pictures];
    vite.watcher.add(folders);
    vite.watcher.on('all', (_, file) => {
      if (!folders.some((folder) => file.startsWith(folder))) return;
      clearTimeout(this.#waiting);
      this.#waiting = setTimeout(() => {
        this.#reading = this.#reading.then(() => this.#show(vite));
      }, moment);
    });
  }

  async #show(vite: ViteDevServer) {
    const before = JSON.stringify(this.source.content?.site.brand);
    await this.read();
    const { client, ssr } = vite.environments;
    if (this.error) {
      const { message } = this.error;
      client.hot.send({ type: 'error', err: { message, stack: '' } });
      return;
    }
    const isRecoloured = before !== JSON.stringify(this.source.content.site.brand);
    for (const { moduleGraph } of [client, ssr]) {
      if (isRecoloured) moduleGraph.invalidateAll();
      for (const id of moduleIds(this.source)) {
        const module = moduleGraph.getModuleById(id);
        if (module) moduleGraph.invalidateModule(module);
      }
    }
    client.hot.send({ type: 'full-reload' });
  }
}
