/**
 * Going from page to page on the platform's Navigation API: plain links work
 * everywhere, in prose too. A browser without it, and whatever cannot be put in
 * place here, simply loads the next page, which is complete HTML.
 */
import { fetchPage } from '../lib/pages.ts';
import { scrollToSection, scrollToTop } from '../lib/scroll.ts';
import { isPage } from '../routes.ts';
import { announce, show } from './show.ts';

export function navigateInPlace() {
  let shown = location.pathname;
  window.navigation?.addEventListener('navigate', (event) => {
    const { pathname } = new URL(event.destination.url);
    if (!isOurs(event) || !isPage(pathname)) return;

    event.intercept({
      scroll: 'manual',
      focusReset: 'manual',
      async handler() {
        if (pathname !== shown) {
          try {
            const page = await fetchPage(pathname);
            if (event.signal.aborted) return;
            show(page);
          } catch {
            // Of another release, unknown, or out of reach: the server's to answer.
            if (!event.signal.aborted) location.reload();
            return;
          }
          shown = pathname;
          announce();
        }
        if (location.hash) scrollToSection(location.hash.slice(1));
        else scrollToTop();
      },
    });
  });
}

const isOurs = (event: NavigateEvent) =>
  event.canIntercept &&
  !event.hashChange &&
  event.downloadRequest === null &&
  event.formData === null &&
  event.navigationType !== 'reload' &&
  // Leaving a page the server made for an address that is not ours.
  isPage(location.pathname);
