import type { ComponentType } from 'react';
import { renderToString } from 'react-dom/server';

/** The names by which the browser finds their components (`islands/wake.ts`). */
export type IslandName = 'contact-form' | 'newsletter-form' | 'post-window' | 'chat-button';

type IslandProps<Props> = {
  name: IslandName;
  component: ComponentType<Props>;
  /** Sent as JSON: everything the component shows, now or later. */
  props: Props;
};

/** A part of the page that React takes over in the browser. It's rendered on its own, as the browser will hydrate it. */
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
