/** Makes `content:…` modules from the checked content. */
import type { Plugin } from 'vite';
import { iconPaths } from '../src/content/icon-paths.ts';
import type { Content, Link } from '../src/content/types.ts';
import type { Media } from './media.ts';

export type Source = { content: Content; media: Media };

const prefix = 'content:';

/** The source may be filled and changed later; what was loaded of it is to be invalidated then. */
export function contentPlugin(source: Source): Plugin {
  return {
    name: 'content',
    resolveId: (id) => (id.startsWith(prefix) ? `\0${id}` : undefined),
    load(id) {
      if (!id.startsWith(`\0${prefix}`)) return;
      const name = id.slice(prefix.length + 1);
      const data = makeModules(source).get(name);
      if (data === undefined) throw new Error(`there is no content module ${name}`);
      const json = JSON.stringify(data, (key, value) => {
        if (key === 'icon') return iconPaths[value as keyof typeof iconPaths];
        if (!isPicture(value)) return value;
        return { ...source.media.pictures[value.name ?? value.file ?? ''], alt: value.alt };
      });
      return `export default ${json};`;
    },
  };
}

/** By which Vite knows what it has loaded. */
export const moduleIds = (source: Source): string[] =>
  [...makeModules(source).keys()].map((name) => `\0${prefix}${name}`);

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
const isPicture = (value: unknown): value is { name?: string; file?: string; alt: string } =>
  typeof value === 'object' &&
  value !== null &&
  ('name' in value || 'file' in value) &&
  'alt' in value;
