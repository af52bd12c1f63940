import type { ComponentType } from 'react';
import { renderToString } from 'react-dom/server';

/** What the browser knows each by (`islands/registry.ts`). */
export type IslandName = 'contact-form' | 'newsletter-form' | 'post-window' | 'chat-button';

/** When it wakes: once it is touched, is about to be seen, or the page is idle. */
export type Wake = 'touch' | 'visible' | 'idle';

/** What an island's component is given, in the build and in the browser. */
export type IslandProps<Word extends string> = {
  words: Record<Word, string>;
  /** The element it lives in; not there in the build. */
  host?: HTMLElement;
};

type Marked<Word extends string, Props> = {
  name: IslandName;
  wake: Wake;
  component: ComponentType<Props & IslandProps<Word>>;
  words: Record<Word, string>;
  props: Props;
};

/**
 * A piece of the page that comes to life in the browser; all else stays HTML.
 * It is rendered by itself, as the browser will take it over by itself. Words
 * that it shows are read from there (`data-word`), so that they are sent once;
 * only those that wait for their moment travel beside it.
 */
export function Island<Word extends string, Props extends object>(marked: Marked<Word, Props>) {
  const { name, wake, component: Component, words, props } = marked;
  const html = renderToString(<Component {...props} words={words} />, { identifierPrefix: name });
  const waiting = Object.entries(words).filter(([word]) => !html.includes(`data-word="${word}"`));
  return (
    <div
      data-island={name}
      data-wake={wake}
      data-props={JSON.stringify({ ...props, words: Object.fromEntries(waiting) })}
      // biome-ignore lint/security/noDangerouslySetInnerHtml: React has just made it.
      dangerouslySetInnerHTML={{ __html: html }}
    />
  );
}
