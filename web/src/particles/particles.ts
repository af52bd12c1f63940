/** The hero's particles: where they are and how they are drawn. */
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

/** In CSS pixels, and how many device pixels there are for each. */
export type Area = { width: number; height: number; ratio: number };
export type Pointer = { x: number; y: number } | undefined;

export type Particle = ReturnType<typeof newParticle>;

export const newParticles = (area: Area) =>
  Array.from({ length: parameters.number }, () => newParticle(area));

function newParticle({ width, height }: Area) {
  const angle = Math.random() * 2 * Math.PI;
  const { minimum, value } = parameters.size;
  return {
    x: Math.random() * width,
    y: Math.random() * height,
    vx: Math.cos(angle) * parameters.move.speed,
    vy: Math.sin(angle) * parameters.move.speed,
    size: minimum + Math.random() * (value - minimum),
    growth: Math.random() < 0.5 ? 1 : -1,
    // How far the pointer has pushed it, in pixels.
    pushX: 0,
    pushY: 0,
  };
}

/** Moves it by `step` seconds. */
export function advance(p: Particle, step: number, { width, height }: Area, pointer: Pointer) {
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

export function draw(
  context: OffscreenCanvasRenderingContext2D,
  particles: Particle[],
  { width, height }: Area,
) {
  context.clearRect(0, 0, width, height);
  for (const { x, y, pushX, pushY, size } of particles) {
    context.beginPath();
    context.arc(x + pushX, y + pushY, size / 2, 0, 2 * Math.PI);
    context.fill();
  }
}
