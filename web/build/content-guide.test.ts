/** What `docs/content.md` tells the owner to write can be written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { networks } from '../src/content/networks.ts';
import { pageSchemas } from '../src/content/schema.ts';
import { loadContent } from './content.ts';
import { paths } from './paths.ts';
import { ContentCopy } from './testing/content-copy.ts';

const guide = readFileSync(join(paths.web, '../docs/content.md'), 'utf8');
const blocks = [...guide.matchAll(/```toml (\S+)\n([\s\S]*?)```/g)].map(
  ([, file = '', text = '']) => ({ file, text }),
);

it('its blocks fill every section that need not be there', async () => {
  const copy = await ContentCopy.make();
  for (const { file, text } of blocks) await copy.write(file, `${await copy.read(file)}\n${text}`);
  const { pages } = (await loadContent(copy.content, paths.pictures)).content;
  await copy.dispose();
  for (const name of ['home', 'about', 'services', 'contact', 'pricing'] as const) {
    const keys = Object.keys(pageSchemas[name].shape);
    expect(Object.keys(pages[name]).toSorted(), name).toEqual(keys.toSorted());
  }
});

it('it names every network', () => {
  for (const name of Object.keys(networks)) expect(guide).toContain(`\`${name}\``);
});
