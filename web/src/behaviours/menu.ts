/**
 * The menu is a popover, which the browser opens and closes. In addition, a link, a new page or a wide screen
 * closes it, and the keyboard can't reach the page behind it.
 */
import { newPage } from '../lib/events.ts';

export function menu() {
  const panel = document.getElementById('menu');
  if (!panel) return;
  if (!('popover' in panel)) return toggleByHand(panel);
  const covered = document.querySelectorAll<HTMLElement>('main, footer');
  const update = () => {
    for (const element of covered) element.inert = panel.matches(':popover-open');
  };
  const close = () => panel.hidePopover();
  // It may have been opened before the script loaded.
  update();
  panel.addEventListener('toggle', update);
  panel.addEventListener('click', ({ target }) => (target as Element).closest('a') && close());
  document.addEventListener(newPage, close);
  matchMedia('(min-width: 960px)').addEventListener('change', close);
}

/** Without popovers (Firefox before 125) the button shows the links and hides them again. */
function toggleByHand(panel: HTMLElement) {
  const toggle = panel.previousElementSibling;
  toggle?.addEventListener('click', () => panel.toggleAttribute('data-open'));
}
