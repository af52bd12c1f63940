/**
 * Makes `content:…` modules from the checked content.
 *
 * Long texts are left out of the browser's modules: the page already carries
 * them, and a client navigation fetches them from their own address.
 */
import type { Plugin } from 'vite';
import { iconPaths } from '../src/content/icon-paths.ts';
import type { Content, Link, Prose } from '../src/content/types.ts';
import { hashedUrl, type Media } from './media.ts';

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
      const forBrowser = this.environment.name === 'client';
      const json = JSON.stringify(data, (key, value) => {
        if (forBrowser && key === 'body') return { url: value.url };
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
    ['service-list', content.services],
    // The home page shows cards only: the long lists stay out of its script.
    ['service-cards', content.services.map(serviceCard)],
    ['service-links', content.services.map(serviceLink)],
    ['posts', content.posts.map(withBody)],
    ['legal', content.legal.map(withBody)],
  ]);
}

type Service = Content['services'][number];

const serviceCard = ({ features, benefits, picture, anchor, footer_label, ...card }: Service) =>
  card;
const serviceLink = ({ anchor, footer_label }: Service): Link => ({
  label: footer_label,
  path: `/services#${anchor}`,
});

/** Nothing else in the content has an `alt`. */
const isPicture = (value: unknown): value is { name: string; alt: string } =>
  typeof value === 'object' && value !== null && 'name' in value && 'alt' in value;

type Text = { slug: string; html: string };

function withBody<T extends Text>({ html, ...rest }: T): object {
  const body: Prose = { url: proseUrl(rest.slug, html), html };
  return { ...rest, body };
}

const proseUrl = (slug: string, html: string) => hashedUrl(`text-${slug}`, 'html', html);

/** The long texts, each at its own address. */
export function proseFiles(content: Content): Map<string, Buffer> {
  const texts: Text[] = [...content.posts, ...content.legal];
  return new Map(texts.map(({ slug, html }) => [proseUrl(slug, html), Buffer.from(html)]));
}
