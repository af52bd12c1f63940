import { scrollToTop } from '../lib/scroll.ts';

const interactive = [
  'a',
  'button',
  'input',
  'select',
  'textarea',
  'label',
  'details',
  'dialog',
  'img',
  'video',
  'audio',
  'canvas',
  // Pages and sections have one only as a starting point for the keyboard.
  '[tabindex]:not(main, section[tabindex="-1"])',
  '[contenteditable]',
  '[popover]',
  '[role="button"]',
  '[role="link"]',
].join(',');

/** How far the pointer may move between press and release of a click, in pixels. */
const dragTolerance = 6;

/**
 * A click on an empty part of the page goes to the top. It must never surprise anyone who meant something else: a control,
 * a selection, a drag, a click with a modifier key or another button.
 */
export function scrollToTopOnClick() {
  let pressed: { x: number; y: number; selecting: boolean } | undefined;

  document.addEventListener('pointerdown', (event) => {
    pressed = { x: event.clientX, y: event.clientY, selecting: hasSelection() };
  });
  document.addEventListener('click', (event) => {
    const press = pressed;
    pressed = undefined;
    if (event.defaultPrevented || event.button !== 0 || event.detail > 1) return;
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!(event.target instanceof Element) || event.target.closest(interactive)) return;
    // Outside the page there is only what floats over it, such as a chat widget.
    if (!event.target.closest('#root')) return;
    if (hasSelection() || press?.selecting) return;
    if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > dragTolerance)
      return;
    scrollToTop();
  });
}

const hasSelection = () => !(getSelection()?.isCollapsed ?? true);
