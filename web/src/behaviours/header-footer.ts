/** In pixels. */
const threshold = 10;

/** The bar gets a ground once the page is scrolled away from its top. */
export function headerGround() {
  const header = document.querySelector<HTMLElement>('[data-scrolled]');
  if (!header) return;
  const update = () => {
    header.dataset.scrolled = String(window.scrollY > threshold);
  };
  update();
  addEventListener('scroll', update, { passive: true });
}

/** The year of the build stands in the HTML; a visitor of a later year reads their own. */
export function footerYear() {
  for (const element of document.querySelectorAll('[data-year]')) {
    element.textContent = String(new Date().getFullYear());
  }
}
