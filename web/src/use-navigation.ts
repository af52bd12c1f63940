/**
 * Client navigation on the platform's Navigation API: plain links work
 * everywhere, in prose too. A browser without it simply loads the next page,
 * which is complete HTML.
 */
import { startTransition, useEffect, useRef, useState } from 'react';
import { applyHead, headOf } from './lib/head.ts';
import type { View } from './lib/page.ts';
import { scrollToSection, scrollToTop } from './lib/scroll.ts';
import { loadPage } from './load-page.ts';
import { targetAt } from './routes.ts';

export function useNavigation(first: View) {
  const [view, setView] = useState(first);
  const [announcement, setAnnouncement] = useState('');
  const shown = useRef(first);

  useEffect(() => {
    const { navigation } = window;
    if (!navigation) return;

    const onNavigate = (event: NavigateEvent) => {
      const url = new URL(event.destination.url);
      const target = targetAt(url.pathname);
      const ours =
        event.canIntercept &&
        !event.hashChange &&
        event.downloadRequest === null &&
        event.formData === null &&
        event.navigationType !== 'reload' &&
        // Leaving or entering a page the server made for an address that is not ours.
        targetAt(location.pathname) !== undefined;
      if (!ours || !target) return;

      event.intercept({
        scroll: 'manual',
        focusReset: 'manual',
        async handler() {
          const next = await loadPage(target).catch(() => undefined);
          if (event.signal.aborted) return;
          // A page that cannot be loaded here (a new release, an unknown post) is the server's to answer.
          if (!next) return location.reload();
          startTransition(() => setView({ ...next }));
        },
      });
    };
    navigation.addEventListener('navigate', onNavigate);
    return () => navigation.removeEventListener('navigate', onNavigate);
  }, []);

  useEffect(() => {
    if (shown.current === view) return;
    const samePage = shown.current.path === view.path;
    shown.current = view;
    if (!samePage) {
      const meta = headOf(view);
      applyHead(meta);
      setAnnouncement(meta.title);
      document.getElementById('main')?.focus({ preventScroll: true });
    }
    if (location.hash) scrollToSection(location.hash.slice(1));
    else scrollToTop();
  }, [view]);

  usePrefetch();
  return { view, announcement };
}

/** Loads the page behind a link as soon as the visitor shows interest in it. */
function usePrefetch() {
  useEffect(() => {
    const onIntent = (event: Event) => {
      const link =
        event.target instanceof Element && event.target.closest<HTMLAnchorElement>('a[href]');
      if (!link || link.origin !== location.origin || link.target) return;
      const target = targetAt(link.pathname);
      if (target) loadPage(target).catch(() => {});
    };
    const intents = ['pointerover', 'focusin', 'touchstart'] as const;
    for (const intent of intents) document.addEventListener(intent, onIntent, { passive: true });
    return () => {
      for (const intent of intents) document.removeEventListener(intent, onIntent);
    };
  }, []);
}
