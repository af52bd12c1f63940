/** The year of the build stands in the HTML; a visitor of a later year reads their own. */
export function year() {
  for (const element of document.querySelectorAll('[data-year]')) {
    element.textContent = String(new Date().getFullYear());
  }
}
