/** Each island's component, fetched when it wakes. */
import type { ComponentType } from 'react';
import type { IslandName, IslandProps } from '../ui/island.tsx';

/** Its other properties come from the HTML, where the build has checked them. */
export type IslandComponent = ComponentType<IslandProps<string>>;

export const registry: Record<IslandName, () => Promise<unknown>> = {
  'contact-form': async () => (await import('../sections/contact-form.tsx')).ContactForm,
  'newsletter-form': async () => (await import('../sections/newsletter-form.tsx')).NewsletterForm,
  'post-window': async () => (await import('../pages/blog/post-window.tsx')).PostWindow,
  'chat-button': async () => (await import('../chat/chat-button.tsx')).ChatButton,
};
