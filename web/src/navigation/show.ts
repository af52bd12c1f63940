/** Puts a fetched page in the place of the one on screen. Bar and footer stay as they are. */
import { newPage } from '../lib/events.ts';
import { type FetchedPage, stylesOf, takeContent } from '../lib/pages.ts';
import { layOutWhole, reducedMotion } from '../lib/scroll.ts';

/** From how little of it, and for how long the new page fades in. */
const fade = { opacity: [0.4, 1] };
const fadeTime = 160;

/** There with the next paint, fading in where motion is welcome: ../../../docs/decisions/0003-navigation-on-the-platform.md */
export function show(page: FetchedPage) {
  put(page);
  if (!reducedMotion()) document.getElementById('main')?.animate(fade, fadeTime);
}

/** Moves the keyboard's focus to the new page and says its title. */
export function announce() {
  document.getElementById('main')?.focus({ preventScroll: true });
  const region = document.querySelector('[data-announce]');
  if (region) region.textContent = document.title;
}

function put(page: FetchedPage) {
  const { head, current } = page;
  for (const old of document.head.querySelectorAll('[data-page]')) old.remove();
  document.head.prepend(...head);
  applyStyles(stylesOf(page));
  layOutWhole(false);
  document.getElementById('main')?.replaceChildren(...takeContent(page));
  for (const [at, link] of document.querySelectorAll('header nav a').entries()) {
    const mark = current[at];
    if (mark) link.setAttribute('aria-current', mark);
    else link.removeAttribute('aria-current');
  }
  afterPaint(() => document.dispatchEvent(new Event(newPage)));
}

let applied: CSSStyleSheet | undefined;

/** The policy knows the styles this document was served with; those of another page come through the CSS object model. */
function applyStyles(styles: CSSStyleSheet) {
  const served = document.querySelector<HTMLStyleElement>('style#own')?.sheet;
  if (served) served.disabled = true;
  const others = document.adoptedStyleSheets.filter((other) => other !== applied);
  document.adoptedStyleSheets = [...others, styles];
  applied = styles;
}

/** What brings the page to life need not be waited for to see it. */
const afterPaint = (work: () => void) => requestAnimationFrame(() => setTimeout(work));
