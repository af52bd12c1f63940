/**
 * Navigation from page to page with the platform's Navigation API, from plain links anywhere. A browser without it loads
 * the next page, which is complete HTML; so does every browser if the page cannot be put in place.
 */
import { newPage } from '../lib/events.ts';
import { type FetchedPage, fetchPage } from '../lib/fetch-page.ts';
import { layOutWhole, reducedMotion, scrollToSection, scrollToTop } from '../lib/scroll.ts';
import { isPage } from '../routes.ts';

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
            // The page is of another version, unknown or out of reach: the browser loads it from the server.
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
  // Outcome pages and unknown addresses are left by loading.
  isPage(location.pathname);

const fade = { opacity: [0.4, 1] };
const fadeTime = 160;

/** Shows the page with the next paint; it fades in unless the visitor prefers less motion (docs/decisions/0003-navigation-on-the-platform.md). */
function show(page: FetchedPage) {
  replacePage(page);
  if (!reducedMotion()) document.getElementById('main')?.animate(fade, fadeTime);
}

/** Moves the keyboard's focus to the new page and says its title. */
function announce() {
  document.getElementById('main')?.focus({ preventScroll: true });
  const region = document.querySelector('[data-announce]');
  if (region) region.textContent = document.title;
}

function replacePage({ head, current, css, main }: FetchedPage) {
  for (const old of document.head.querySelectorAll('[data-page]')) old.remove();
  document.head.prepend(...head);
  applyStyles(css);
  layOutWhole(false);
  const { childNodes } = document.importNode(main, true);
  document.getElementById('main')?.replaceChildren(...childNodes);
  for (const [at, link] of document.querySelectorAll('header nav a').entries()) {
    const mark = current[at];
    if (mark) link.setAttribute('aria-current', mark);
    else link.removeAttribute('aria-current');
  }
  afterPaint(() => document.dispatchEvent(new Event(newPage)));
}

const styles = new CSSStyleSheet();

/**
 * The Content-Security-Policy allows only the style element that this document was served with. The styles of other pages
 * are applied through the CSS object model.
 */
function applyStyles(css: string) {
  const served = document.querySelector<HTMLStyleElement>('#page-styles')?.sheet;
  if (served && !served.disabled) {
    served.disabled = true;
    document.adoptedStyleSheets.push(styles);
  }
  styles.replaceSync(css);
}

/** Behaviours start after the page is shown. */
const afterPaint = (work: () => void) => requestAnimationFrame(() => setTimeout(work));

/** Fetches the page behind a link as soon as the visitor shows interest in it. */
export function fetchAhead() {
  const onInterest = ({ target }: Event) => {
    const link = target instanceof Element && target.closest<HTMLAnchorElement>('a[href]');
    if (!link || link.origin !== location.origin || link.target) return;
    if (link.pathname === location.pathname || !isPage(link.pathname)) return;
    fetchPage(link.pathname).catch(() => {});
  };
  for (const type of ['pointerover', 'focusin', 'touchstart'])
    document.addEventListener(type, onInterest, { passive: true });
}
