/**
 * The bundles that Vite makes of `web/src`: the scripts that browsers run, the loader in every page, the styles of
 * each page, and the pages' own code, which only the build runs.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BuildOptions, build, type InlineConfig, type Manifest } from 'vite';
import type * as EntryServer from '../src/entry-server.tsx';
import { paths } from './paths.ts';
import { brandPlugin, type Colours } from './recolour.ts';

const shared = (colours?: Colours): InlineConfig => ({
  root: paths.web,
  // Bundling the configuration, too, would take time, and on a slow machine a warning about it.
  configLoader: 'native',
  logLevel: 'warn',
  plugins: [brandPlugin(() => colours)],
});

/** The oldest browsers that run our scripts: three years back from the release. Biome's `useBaseline` checks the styles. */
const targets = ['chrome119', 'firefox119', 'safari17'];

const src = (file: string) => join(paths.web, 'src', file);

/** Scripts name each other, and random letters don't compress: the hashes are as short as stays unique. */
const shortNames = {
  entryFileNames: 'assets/[name]-[hash:6].js',
  chunkFileNames: 'assets/[name]-[hash:6].js',
  assetFileNames: 'assets/[name]-[hash:6][extname]',
};

/** Code that islands share is in one file with React, which they all need: it compresses better than several. */
const withReact = {
  name: 'hydrate',
  test: /\/react(-dom)?\/|\/islands\/hydrate|\/src\/ui\/|\/lib\/validate/,
};

/** The scripts, and the address of the one that pages load. */
export async function buildScripts(colours?: Colours) {
  const options: BuildOptions = {
    // Pages have their styles inside; scripts needn't bring them again.
    cssCodeSplit: false,
    // An island's files are requested together anyway (`islands/wake.ts`).
    modulePreload: false,
    rolldownOptions: {
      input: src('entry-client.ts'),
      output: { ...shortNames, codeSplitting: { groups: [withReact] } },
    },
  };
  const output = await bundle(options, colours);
  const files = new Map<string, Buffer>();
  for (const item of output) {
    const data = Buffer.from(item.type === 'chunk' ? item.code : item.source);
    if (!item.fileName.endsWith('.css')) files.set(`/${item.fileName}`, data);
  }
  const entry = output.find((item) => item.type === 'chunk' && item.isEntry);
  if (!entry) throw new Error('there is no entry script');
  return { files, entry: `/${entry.fileName}` };
}

export async function buildLoader(): Promise<string> {
  const [loader] = await bundle({
    modulePreload: false,
    rolldownOptions: { input: src('first-paint/loader.ts'), output: { format: 'iife' } },
  });
  if (loader?.type !== 'chunk') throw new Error('there is no loader');
  return loader.code.trim();
}

/** The frame around every page, and a page, as files of `web/`. */
export const frameFile = 'src/app.tsx';
export const pageFile = (page: string) => `src/pages/${page}/page.tsx`;

/** All rules of a page and of the frame around it. The scripts of this bundle are thrown away. */
export async function buildStyles(
  pages: string[],
  colours?: Colours,
): Promise<(page: string) => string> {
  const options: BuildOptions = {
    manifest: true,
    minify: false,
    cssMinify: true,
    rolldownOptions: {
      // Otherwise nothing would use the pages, and their styles would be dropped.
      preserveEntrySignatures: 'strict',
      input: [frameFile, ...pages.map(pageFile)].map((file) => join(paths.web, file)),
    },
  };
  const output = await bundle(options, colours);
  const assets = output.filter((item) => item.type === 'asset');
  const sources = new Map(assets.map((item) => [item.fileName, item.source.toString().trim()]));
  const text = (name: string) => sources.get(name) ?? '';
  const manifest: Manifest = JSON.parse(text('.vite/manifest.json'));
  return (page) => {
    const needed = new Set<string>();
    // Imported rules come before those of the importing module.
    const visit = (key: string) => {
      for (const imported of manifest[key]?.imports ?? []) visit(imported);
      for (const file of manifest[key]?.css ?? []) needed.add(file);
    };
    visit(frameFile);
    visit(pageFile(page));
    return [...needed].map(text).join('');
  };
}

export async function buildServer(): Promise<typeof EntryServer> {
  const outDir = join(paths.cache, `server-${process.pid}`);
  try {
    await build({
      ...shared(),
      build: { ssr: 'src/entry-server.tsx', outDir, emptyOutDir: true },
      ssr: { noExternal: true },
    });
    return await import(join(outDir, 'entry-server.js'));
  } finally {
    await rm(outDir, { recursive: true, force: true });
  }
}

async function bundle(options: BuildOptions, colours?: Colours) {
  const defaults = { write: false, target: targets };
  const result = await build({ ...shared(colours), build: { ...defaults, ...options } });
  if (!('output' in result)) throw new Error('the bundle has no output');
  return result.output;
}
