import { useEffect } from 'react';
import { pauseMotion } from './behaviours/pause-motion.ts';
import { playScenes } from './behaviours/play-scenes.ts';
import { useChat } from './chat/use-chat.ts';
import { useReveals } from './hooks/use-reveal.ts';
import { useScrollToTopOnClick } from './hooks/use-scroll-to-top-on-click.ts';
import { Footer } from './layout/footer.tsx';
import { Header } from './layout/header.tsx';
import { SkipLink } from './layout/skip-link.tsx';
import type { View } from './lib/page.ts';
import { useNavigation } from './use-navigation.ts';

export function App({ first }: { first: View }) {
  const { view, announcement } = useNavigation(first);
  const { Page } = view.module;
  useReveals(view.path);
  useScrollToTopOnClick();
  useChat();
  useEffect(pauseMotion, []);
  // Another path has other scenes.
  useEffect(() => (view.path ? playScenes() : undefined), [view.path]);
  return (
    <>
      <SkipLink />
      <Header path={view.path} />
      <main id="main" tabIndex={-1}>
        <Page key={view.path} slug={view.slug} />
      </main>
      <Footer />
      <div className="visually-hidden" aria-live="polite" role="status">
        {announcement}
      </div>
    </>
  );
}
