/**
 * The hero's particle background: a small canvas of our own with the
 * parameters of the specification.
 *
 * It draws only while it can be seen and the tab is in front, as often and as
 * finely as such slow, soft discs need: without a graphics card every frame
 * costs the main thread a pass over the whole page.
 */
export const parameters = {
  number: 15,
  color: '#8b5cf6', // purple
  shape: 'circle',
  opacity: 0.1,
  size: { value: 100, minimum: 40, speed: 12 },
  move: { speed: 18 },
  repulse: { distance: 150, duration: 0.4 },
  links: false,
} as const;

/** Frames a second: a drift of 18 pixels needs few, a push of the pointer more. */
const pace = { drifting: 15, pushed: 30 };
/** Canvas pixels per pixel of the page. */
const resolution = 0.5;
/** How long before a frame is due it is asked for, in milliseconds: the screen has a rhythm of its own. */
const early = 10;

type Particle = {
  x: number;
  y: number;
  vx: number;
  vy: number;
  size: number;
  growth: 1 | -1;
  /** How far the pointer has pushed it, in pixels, easing towards its target. */
  pushX: number;
  pushY: number;
};

type Pointer = { x: number; y: number } | undefined;

/** Starts the background and returns what stops it. */
export function startParticles(canvas: HTMLCanvasElement, area: HTMLElement): () => void {
  const context = canvas.getContext('2d');
  if (!context) return () => {};
  let { width, height } = sizeCanvas(canvas, context);
  const particles = Array.from({ length: parameters.number }, () => newParticle(width, height));
  let pointer: Pointer;
  let frame = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = 0;
  let visible = false;

  const next = () => {
    frame = requestAnimationFrame(tick);
  };
  const tick = (now: number) => {
    timer = setTimeout(next, 1000 / (pointer ? pace.pushed : pace.drifting) - early);
    const elapsed = (now - last) / 1000;
    last = now;
    // After a pause the particles go on where they were.
    const step = Math.min(elapsed, 0.1);
    for (const particle of particles) advance(particle, step, width, height, pointer);
    draw(context, particles, width, height);
  };
  const halt = () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
  const run = () => {
    halt();
    const running = visible && !document.hidden;
    if (running) next();
    canvas.dataset.running = String(running);
  };

  const stop = new AbortController();
  const { signal } = stop;
  const seen = new IntersectionObserver((entries) => {
    visible = entries.at(-1)?.isIntersecting ?? false;
    run();
  });
  const resized = new ResizeObserver(() => {
    ({ width, height } = sizeCanvas(canvas, context));
  });
  seen.observe(canvas);
  resized.observe(canvas);
  document.addEventListener('visibilitychange', run, { signal });
  area.addEventListener(
    'pointermove',
    (event) => {
      const box = canvas.getBoundingClientRect();
      pointer = { x: event.clientX - box.left, y: event.clientY - box.top };
    },
    { signal, passive: true },
  );
  area.addEventListener('pointerleave', () => (pointer = undefined), { signal });

  return () => {
    stop.abort();
    seen.disconnect();
    resized.disconnect();
    halt();
  };
}

function sizeCanvas(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D) {
  const { clientWidth: width, clientHeight: height } = canvas;
  canvas.width = width * resolution;
  canvas.height = height * resolution;
  context.scale(resolution, resolution);
  context.fillStyle = parameters.color;
  context.globalAlpha = parameters.opacity;
  return { width, height };
}

function newParticle(width: number, height: number): Particle {
  const angle = Math.random() * 2 * Math.PI;
  const { minimum, value } = parameters.size;
  return {
    x: Math.random() * width,
    y: Math.random() * height,
    vx: Math.cos(angle) * parameters.move.speed,
    vy: Math.sin(angle) * parameters.move.speed,
    size: minimum + Math.random() * (value - minimum),
    growth: Math.random() < 0.5 ? 1 : -1,
    pushX: 0,
    pushY: 0,
  };
}

function advance(p: Particle, step: number, width: number, height: number, pointer: Pointer) {
  p.x = wrap(p.x + p.vx * step, p.size, width);
  p.y = wrap(p.y + p.vy * step, p.size, height);

  const { minimum, value, speed } = parameters.size;
  p.size += p.growth * speed * step;
  if (p.size >= value) p.growth = -1;
  if (p.size <= minimum) p.growth = 1;

  const [targetX, targetY] = repulsion(p, pointer);
  const eased = 1 - Math.exp((-3 * step) / parameters.repulse.duration);
  p.pushX += (targetX - p.pushX) * eased;
  p.pushY += (targetY - p.pushY) * eased;
}

/** Away from the pointer, to the edge of its circle. */
function repulsion(p: Particle, pointer: Pointer): [number, number] {
  if (!pointer) return [0, 0];
  const dx = p.x - pointer.x;
  const dy = p.y - pointer.y;
  const distance = Math.hypot(dx, dy) || 1;
  const missing = Math.max(0, parameters.repulse.distance - distance);
  return [(dx / distance) * missing, (dy / distance) * missing];
}

function wrap(at: number, size: number, length: number): number {
  if (at < -size) return length + size;
  return at > length + size ? -size : at;
}

function draw(
  context: CanvasRenderingContext2D,
  particles: Particle[],
  width: number,
  height: number,
) {
  context.clearRect(0, 0, width, height);
  for (const { x, y, pushX, pushY, size } of particles) {
    context.beginPath();
    context.arc(x + pushX, y + pushY, size / 2, 0, 2 * Math.PI);
    context.fill();
  }
}
