/** How far the page must be scrolled, in pixels. */
const threshold = 10;

/** The bar gets a background once the page is scrolled down. */
export function headerBackground() {
  const header = document.querySelector<HTMLElement>('[data-scrolled]');
  if (!header) return;
  const update = () => {
    header.dataset.scrolled = String(window.scrollY > threshold);
  };
  update();
  addEventListener('scroll', update, { passive: true });
}

/** The HTML has the year of the build; later visitors see the current one. */
export function footerYear() {
  for (const element of document.querySelectorAll('[data-year]')) {
    element.textContent = String(new Date().getFullYear());
  }
}
