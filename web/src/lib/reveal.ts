/** When things fade in (`behaviours/reveal.ts` does it): the values of `data-fade` and `data-delay`. */

/** Sections and cards show themselves once a fifth of them is on screen. */
export const sectionThreshold = 0.2;
/** Single elements (images, headings, list items) a little earlier. */
export const fadeInThreshold = 0.1;

/** Milliseconds between neighbours that arrive together. */
export const stagger = 80;
