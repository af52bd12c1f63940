/**
 * A drawing in motion. In an image every frame would be painted anew by the page's own thread;
 * drawn as a part of the page, its pieces are moved by the compositor alone. So the image's own
 * file, once more, covers it for as long as the scene plays. The rules of motion in the file
 * begin with `:host`, which is nothing in an image.
 */

/** Resolves once the scene rests: whether it has come to its end, or was told to stop. */
export async function playScene(image: HTMLImageElement, stop: AbortSignal): Promise<boolean> {
  const answer = await fetch(image.src, { signal: stop });
  const overlay = newOverlay(await answer.text());
  // An image that is still sliding in would leave its cover behind.
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
  // Apart from the drawing: as an element in it, the page's policy would refuse them.
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

/** Puts the overlay where the image is, whatever becomes of its size; returns what takes it away. */
function mount(overlay: HTMLElement, image: HTMLImageElement): () => void {
  const look = getComputedStyle(image);
  const { border, borderRadius, mask, objectFit } = look;
  Object.assign(overlay.style, { border, borderRadius, mask });
  if (objectFit === 'cover')
    overlay.shadowRoot?.firstElementChild?.setAttribute('preserveAspectRatio', 'xMidYMid slice');
  const resized = new ResizeObserver(() => place(overlay, image));
  image.after(overlay);
  // In its place from the start: a move, even an unseen one, counts as a shift of the page.
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
