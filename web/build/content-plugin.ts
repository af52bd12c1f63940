/** Makes `content:…` modules from the checked content. */
import type { Plugin } from 'vite';
import { iconPaths } from '../src/content/icon-paths.ts';
import type { Content, Link } from '../src/content/types.ts';
import type { Media } from './media.ts';

export type Source = { content: Content; media: Media };

const prefix = 'content:';

export function contentPlugin(source: Source, reload?: () => Promise<Source>): Plugin {
  let modules = makeModules(source);
  return {
    name: 'content',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return;
      const name = id.slice(prefix.length + 1);
      const data = modules.get(name);
      if (data === undefined) throw new Error(`there is no content module ${name}`);
      const json = JSON.stringify(data, (key, value) => {
        if (key === 'icon') return iconPaths[value as keyof typeof iconPaths];
        return isPicture(value) ? { ...source.media.pictures[value.name], alt: value.alt } : value;
      });
      return `export default ${json};`;
    },
    async handleHotUpdate({ file, server }) {
      if (!reload || !/\/(content|pictures|contract)\//.test(file)) return;
      const fresh = await reload();
      Object.assign(source, fresh);
      modules = makeModules(source);
      server.moduleGraph.invalidateAll();
      server.hot.send({ type: 'full-reload' });
    },
  };
}

function makeModules({ content }: Source): Map<string, unknown> {
  return new Map<string, unknown>([
    ...Object.entries(content.pages),
    ['site', content.site],
    ['messages', content.messages],
    ['fields', content.fields],
    ['service-list', content.services],
    ['service-cards', content.services.map(serviceCard)],
    ['service-links', content.services.map(serviceLink)],
    ['posts', content.posts],
    ['legal', content.legal],
  ]);
}

type Service = Content['services'][number];

const serviceCard = ({ features, benefits, picture, anchor, footer_label, ...card }: Service) =>
  card;
const serviceLink = ({ id, anchor = id, title, footer_label = title }: Service): Link => ({
  label: footer_label,
  path: `/services#${anchor}`,
});

/** Nothing else in the content has an `alt`. */
const isPicture = (value: unknown): value is { name: string; alt: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'alt' in value;
