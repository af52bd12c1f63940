/** Fetches the page behind a link as soon as the visitor shows interest in it, and makes it ready. */
import { whenIdle } from '../lib/idle.ts';
import { type FetchedPage, fetchPage, prepare, stylesOf } from '../lib/pages.ts';
import { isPage } from '../routes.ts';

const signs = ['pointerover', 'focusin', 'touchstart'];

export function fetchAhead() {
  const onSign = ({ target }: Event) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href]');
    if (!link || link.origin !== location.origin || link.target) return;
    if (link.pathname === location.pathname || !isPage(link.pathname)) return;
    fetchPage(link.pathname)
      .then(makeReady)
      .catch(() => {});
  };
  for (const sign of signs) document.addEventListener(sign, onSign, { passive: true });
}

/** In two steps: together they would keep the page from answering. */
const makeReady = (page: FetchedPage) =>
  whenIdle(() => {
    stylesOf(page);
    whenIdle(() => prepare(page));
  });
