/**
 * An element that floats over the page fades out, beyond reach, for as long as
 * it would cover a form or a booking link.
 */

const mustStayFree = 'main form, a[data-booking]';
/** How near is too near, in pixels. */
const margin = 8;

/**
 * Watches over `element`; `box` says where it stands, or nothing while it may
 * stand anywhere. Returns a way to ask for another look.
 */
export function keepClear(element: HTMLElement, box: () => DOMRect | undefined): () => void {
  const look = () => {
    const own = box();
    const covers = own !== undefined && isInTheWay(own);
    element.inert = covers;
    element.style.opacity = covers ? '0' : '';
  };
  let frame = 0;
  const soon = () => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(look);
  };
  addEventListener('scroll', soon, { passive: true });
  addEventListener('resize', soon);
  // A new page, a picture, a message under a form: all of them move what is there.
  new ResizeObserver(soon).observe(document.body);
  look();
  return soon;
}

function isInTheWay(own: DOMRect): boolean {
  for (const element of document.querySelectorAll(mustStayFree)) {
    const { left, right, top, bottom, width, height } = element.getBoundingClientRect();
    const apart =
      left > own.right + margin ||
      right < own.left - margin ||
      top > own.bottom + margin ||
      bottom < own.top - margin;
    if (!apart && width > 0 && height > 0) return true;
  }
  return false;
}
