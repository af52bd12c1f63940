/**
 * A drawing in motion. In an image the page's main thread would paint every frame; as part of the page, the compositor
 * alone moves it. So the same file covers the image while the scene plays. The rules of motion in the file begin with
 * `:host`, which matches nothing in an image.
 */

/** Resolves with `true` when the scene has ended, or `false` if it was stopped. */
export async function playScene(image: HTMLImageElement, stop: AbortSignal): Promise<boolean> {
  const response = await fetch(image.src, { signal: stop });
  const overlay = newOverlay(await response.text());
  // An image that is still sliding in would move away from its cover.
  await ended(image.getAnimations());
  if (stop.aborted) return false;
  const unmount = mount(overlay, image);
  const stopped = new Promise((done) => stop.addEventListener('abort', done));
  await Promise.race([ended(overlay.shadowRoot?.getAnimations()), stopped]);
  unmount();
  return !stop.aborted;
}

const ended = (motions: Animation[] = []) =>
  Promise.allSettled(motions.map((motion) => motion.finished));

/** `source` is an SVG file of our own build. */
function newOverlay(source: string): HTMLElement {
  // The page's policy would refuse a style element in the drawing.
  const [start = '', motion = '', rest = ''] = source.split(/<\/?style>/);
  const drawing = new DOMParser().parseFromString(start + rest, 'image/svg+xml').documentElement;
  for (const side of ['width', 'height']) drawing.setAttribute(side, '100%');
  const rules = new CSSStyleSheet();
  rules.replaceSync(motion);
  const overlay = document.createElement('div');
  overlay.dataset.sceneOverlay = '';
  overlay.ariaHidden = 'true';
  const inside = overlay.attachShadow({ mode: 'open' });
  inside.adoptedStyleSheets = [rules];
  inside.append(drawing);
  return overlay;
}

/** Keeps the overlay where the image is, at any size; returns a function that removes it. */
function mount(overlay: HTMLElement, image: HTMLImageElement): () => void {
  const { border, borderRadius, mask, objectFit } = getComputedStyle(image);
  Object.assign(overlay.style, { border, borderRadius, mask });
  if (objectFit === 'cover')
    overlay.shadowRoot?.firstElementChild?.setAttribute('preserveAspectRatio', 'xMidYMid slice');
  const resized = new ResizeObserver(() => place(overlay, image));
  image.after(overlay);
  // In place from the start: even an invisible move counts as a layout shift.
  place(overlay, image);
  resized.observe(image);
  image.dataset.scene = 'playing';
  return () => {
    resized.disconnect();
    overlay.remove();
    image.dataset.scene = '';
  };
}

/** On whole pixels, as images are painted. */
function place(overlay: HTMLElement, image: HTMLImageElement) {
  const around = overlay.offsetParent;
  if (!around) return;
  const outer = around.getBoundingClientRect();
  const { left, top, right, bottom } = image.getBoundingClientRect();
  const [x, y] = [snap(left), snap(top)];
  Object.assign(overlay.style, {
    left: `${x - outer.left - around.clientLeft}px`,
    top: `${y - outer.top - around.clientTop}px`,
    width: `${snap(right) - x}px`,
    height: `${snap(bottom) - y}px`,
  });
}

const snap = (length: number) => Math.round(length * devicePixelRatio) / devicePixelRatio;
