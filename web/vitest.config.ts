/** Build code is tested in Node, pages in a document, with the words of the tests' own content. */
import { readdirSync } from 'node:fs';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';
import { loadContent } from './build/content.ts';
import { contentPlugin } from './build/content-plugin.ts';
import type { Media } from './build/media.ts';
import { paths } from './build/paths.ts';
import { frozen } from './build/testing/frozen.ts';

const { content, photos } = await loadContent(frozen.content, paths.pictures);

/** Fonts and pictures take seconds to make, and no unit looks into them. */
const media: Media = {
  files: new Map(),
  fonts: [],
  fontCss: '',
  mark: '',
  pictures: {
    ...photos.pictures,
    ...Object.fromEntries(
      readdirSync(paths.pictures).map((file) => {
        const name = file.replace(/\.svg$/, '');
        return [name, { src: `/assets/${file}`, width: 40, height: 30 }];
      }),
    ),
  },
};

/** Long enough for a machine that is busy with other tests, too. */
const testTimeout = 60_000;

/** A document and the packages for each file anew would take longer than the tests; what they share is left clean. */
const isolate = false;

export default defineConfig({
  test: {
    maxWorkers: '100%',
    projects: [
      {
        test: {
          name: 'build',
          environment: 'node',
          isolate,
          include: ['build/**/*.test.ts'],
          testTimeout,
          hookTimeout: testTimeout,
        },
      },
      {
        plugins: [react(), contentPlugin({ content, media })],
        test: {
          name: 'src',
          environment: 'happy-dom',
          setupFiles: 'build/testing/clean-document.ts',
          isolate,
          include: ['src/**/*.test.{ts,tsx}'],
          testTimeout,
          hookTimeout: testTimeout,
        },
      },
    ],
  },
});
