import type { ComponentType } from 'react';
import { renderToString } from 'react-dom/server';

/** The names by which the browser finds their components (`islands/wake.ts`). */
export type IslandName = 'contact-form' | 'newsletter-form' | 'post-window' | 'chat-button';

type IslandProps<Props> = {
  name: IslandName;
  component: ComponentType<Props>;
  /** Sent as JSON: all that the component shows, now or later. */
  props: Props;
};

/**
 * A piece of the page that React takes over in the browser; all else stays HTML.
 * It is rendered by itself, as the browser will take it over by itself.
 */
export function Island<Props extends object>(island: IslandProps<Props>) {
  const { name, component: Component, props } = island;
  const html = renderToString(<Component {...props} />, { identifierPrefix: name });
  return (
    <div
      data-island={name}
      data-props={JSON.stringify(props)}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: React has just made it.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
