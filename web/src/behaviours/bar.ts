/** The bar gets a ground once the page is scrolled away from its top. */
const threshold = 10;

export function bar() {
  const header = document.querySelector<HTMLElement>('[data-scrolled]');
  if (!header) return;
  const update = () => {
    header.dataset.scrolled = String(window.scrollY > threshold);
  };
  update();
  addEventListener('scroll', update, { passive: true });
}
