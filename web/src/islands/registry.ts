/** Each island's component, fetched when it wakes. */
import type { ComponentType } from 'react';
import type { IslandName } from '../ui/island.tsx';

/** Its own properties come from the HTML, where the build has checked them; `host` is the element it lives in. */
export type IslandComponent = ComponentType<{ host: HTMLElement }>;

export const registry: Record<IslandName, () => Promise<unknown>> = {
  'contact-form': async () => (await import('../sections/contact-form.tsx')).ContactForm,
  'newsletter-form': async () => (await import('../sections/newsletter-form.tsx')).NewsletterForm,
  'post-window': async () => (await import('../pages/blog/post-window.tsx')).PostWindow,
  'chat-button': async () => (await import('../chat/chat-button.tsx')).ChatButton,
};
