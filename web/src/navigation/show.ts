/** Puts a fetched page in the place of the one on screen. Bar and footer stay as they are. */
import { newPage } from '../lib/events.ts';
import type { FetchedPage } from '../lib/pages.ts';
import { layOutWhole, reducedMotion } from '../lib/scroll.ts';

/** In a quiet cross-fade, where the browser has them and motion is welcome. */
export async function show(page: FetchedPage) {
  if (!('startViewTransition' in document) || reducedMotion()) return put(page);
  const fade = document.startViewTransition(() => put(page));
  // A tab that is not in front skips it, which is no news to anyone.
  fade.ready.catch(() => {});
  await fade.updateCallbackDone;
}

/** Moves the keyboard's focus to the new page and says its title. */
export function announce() {
  document.getElementById('main')?.focus({ preventScroll: true });
  const region = document.querySelector('[data-announce]');
  if (region) region.textContent = document.title;
}

function put({ head, current, main, css }: FetchedPage) {
  for (const old of document.head.querySelectorAll('[data-page]')) old.remove();
  document.head.prepend(...head.map((node) => document.importNode(node, true)));
  dress(css);
  layOutWhole(false);
  document.getElementById('main')?.replaceChildren(...document.importNode(main, true).childNodes);
  for (const [at, link] of document.querySelectorAll('header nav a').entries()) {
    const mark = current[at];
    if (mark) link.setAttribute('aria-current', mark);
    else link.removeAttribute('aria-current');
  }
  document.dispatchEvent(new Event(newPage));
}

let worn: CSSStyleSheet | undefined;

/** The policy knows the styles this document was served with; those of another page come through the CSS object model. */
function dress(css: string) {
  const served = document.querySelector<HTMLStyleElement>('style#own')?.sheet;
  if (served) served.disabled = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(css);
  const others = document.adoptedStyleSheets.filter((other) => other !== worn);
  document.adoptedStyleSheets = [...others, sheet];
  worn = sheet;
}
