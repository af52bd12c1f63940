/** The site's own scrolling, instant if the visitor prefers less motion. */
export const reducedMotion = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

const behavior = (): ScrollBehavior => (reducedMotion() ? 'instant' : 'smooth');

export const scrollToTop = () => window.scrollTo({ top: 0, behavior: behavior() });

/** Whether all of the page is laid out, or what is far from the screen may wait (`--far` in `base.css`). */
export const layOutWhole = (whole: boolean) =>
  document.documentElement.toggleAttribute('data-whole', whole);

/**
 * `scroll-padding-top` keeps the section clear of the fixed bar. Everything is laid out first: estimated heights would move
 * it on the way. The keyboard's focus moves along, so that the next Tab is inside.
 */
export function scrollToSection(hash: string) {
  layOutWhole(true);
  const target = document.getElementById(decodeHash(hash));
  if (!target) return;
  target.scrollIntoView({ behavior: behavior() });
  // A section's second id is on an empty element before it (`pages/services/page.tsx`).
  const section = (target.firstChild ? target : target.nextElementSibling) as HTMLElement | null;
  if (!section) return;
  section.tabIndex = -1;
  section.focus({ preventScroll: true });
  section.addEventListener('blur', () => section.removeAttribute('tabindex'), { once: true });
}

/** The id after a `#`. What cannot be decoded stays as it is. */
export function decodeHash(hash: string): string {
  try {
    return decodeURIComponent(hash);
  } catch {
    return hash;
  }
}
