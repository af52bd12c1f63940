/**
 * How to see from outside that the scripts have a page: the bar answers a scroll
 * by more than ten pixels with a shadow. Both run in the page.
 */

export const barShadow = () =>
  getComputedStyle(document.querySelector('header') as Element).boxShadow;

export const jump = (top: number) => scrollTo({ top, behavior: 'instant' });
