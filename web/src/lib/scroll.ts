/** Every scroll the site makes on its own; instant for those who ask for less motion. */

export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

const behavior = (): ScrollBehavior => (reducedMotion() ? 'instant' : 'smooth');

export const scrollToTop = () => window.scrollTo({ top: 0, behavior: behavior() });

/** Ends what the first paint left for later (`content-visibility: auto`). */
export function layOutWhole() {
  document.documentElement.dataset.whole = '';
}

/**
 * The section's own `scroll-margin-top` keeps it clear of the fixed bar. What
 * lies before it is laid out first: a guessed height would move it on the way.
 */
export function scrollToSection(id: string) {
  layOutWhole();
  document.getElementById(decodeURIComponent(id))?.scrollIntoView({ behavior: behavior() });
}
