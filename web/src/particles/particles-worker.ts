/** Draws the particles on their own thread: on the main thread each frame would cost a pass over the whole page. */
import {
  type Area,
  advance,
  draw,
  newParticles,
  type Particle,
  type Pointer,
  parameters,
} from './particles.ts';

/** A change on the page; the canvas comes once, with the first size. */
export type Message = {
  canvas?: OffscreenCanvas;
  area?: Area;
  pointer?: Pointer;
  /** Whether it's in sight and may move. */
  running?: boolean;
};

/** Enough for such slow motion, and half the work. */
const framesPerSecond = 30;

let context: OffscreenCanvasRenderingContext2D | null = null;
let particles: Particle[] = [];
let area: Area = { width: 0, height: 0, ratio: 1 };
let pointer: Pointer;
let frame = 0;
let last = 0;

self.onmessage = ({ data }: MessageEvent<Message>) => {
  if (data.canvas) context = data.canvas.getContext('2d');
  if (data.area) resize(data.area);
  if ('pointer' in data) pointer = data.pointer;
  if (data.running === undefined) return;
  cancelAnimationFrame(frame);
  if (data.running) frame = requestAnimationFrame(tick);
};

function resize(to: Area) {
  if (!context) return;
  area = to;
  // First, because it resets the context.
  context.canvas.width = Math.round(area.width * area.ratio);
  context.canvas.height = Math.round(area.height * area.ratio);
  context.scale(area.ratio, area.ratio);
  context.fillStyle = parameters.color;
  context.globalAlpha = parameters.opacity;
  if (particles.length === 0) particles = newParticles(area);
}

function tick(now: number) {
  frame = requestAnimationFrame(tick);
  const elapsed = (now - last) / 1000;
  if (!context || elapsed < 1 / framesPerSecond) return;
  last = now;
  // After a pause the particles continue where they were.
  const step = Math.min(elapsed, 0.1);
  for (const particle of particles) advance(particle, step, area, pointer);
  draw(context, particles, area);
}
