/** Holds the page still behind a menu or a dialog (`base.css`); returns what lets it go. */
export function hold(): () => void {
  const { dataset } = document.documentElement;
  dataset.held = '';
  return () => {
    delete dataset.held;
  };
}
