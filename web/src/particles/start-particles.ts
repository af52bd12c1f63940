import { mayMove, onMotionChange } from '../lib/motion.ts';
import type { Message } from './particles-worker.ts';

/** More device pixels would make no visible difference in such soft circles. */
const maxPixelRatio = 2;

/** Starts the particles on the canvas; returns a function that stops them. */
export function startParticles(canvas: HTMLCanvasElement, area: HTMLElement): () => void {
  const worker = new Worker(new URL('./particles-worker.ts', import.meta.url), { type: 'module' });
  const send = (message: Message, owned: Transferable[] = []) => worker.postMessage(message, owned);
  const size = () => ({
    width: canvas.clientWidth,
    height: canvas.clientHeight,
    ratio: Math.min(devicePixelRatio, maxPixelRatio),
  });
  const offscreen = canvas.transferControlToOffscreen();
  send({ canvas: offscreen, area: size() }, [offscreen]);

  let visible = false;
  const run = () => {
    const running = visible && !document.hidden && mayMove();
    canvas.dataset.running = String(running);
    send({ running });
  };
  const stopped = new AbortController();
  const { signal } = stopped;
  const visibility = new IntersectionObserver((entries) => {
    visible = entries.at(-1)?.isIntersecting ?? false;
    run();
  });
  const resizes = new ResizeObserver(() => send({ area: size() }));
  visibility.observe(canvas);
  resizes.observe(canvas);
  document.addEventListener('visibilitychange', run, { signal });
  onMotionChange(run, signal);
  area.addEventListener(
    'pointermove',
    ({ clientX, clientY }) => {
      const box = canvas.getBoundingClientRect();
      send({ pointer: { x: clientX - box.left, y: clientY - box.top } });
    },
    { signal, passive: true },
  );
  area.addEventListener('pointerleave', () => send({ pointer: undefined }), { signal });

  return () => {
    stopped.abort();
    visibility.disconnect();
    resizes.disconnect();
    worker.terminate();
  };
}
