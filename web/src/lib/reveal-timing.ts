/** When `behaviours/reveal.ts` fades things in: the values of `data-fade` and `data-delay`. */

/** The share of a section or a card that must be on screen. */
export const sectionThreshold = 0.2;
/** The same for single elements (images, headings, list items), which appear a little earlier. */
export const fadeInThreshold = 0.1;

/** The delay between neighbours that appear together, in milliseconds. */
export const stagger = 80;
