/**
 * What the style of a drawing may do. Its image is still; in the page it moves by what the
 * compositor can do alone, comes to rest by itself, and never moves for those who ask for less motion.
 */
const seconds = 30;
const still = '@media (prefers-reduced-motion:reduce){*{animation:none!important}}';
const composited = /^(transform|opacity|animation-timing-function)$/;

/** What is wrong with it, in words; nothing for a drawing without motion. */
export function sceneFaults(svg: string): string[] {
  const [, css = ''] = svg.split(/<\/?style>/);
  if (!css.includes('animation')) return [];
  const rules = css.replace(still, '').replaceAll(/@keyframes [^{]+\{(?:[^{}]*\{[^{}]*\})*\}/g, '');
  return [
    ...(css.includes(still) ? [] : [`its style lacks ${still}`]),
    ...keyframes(css)
      .filter((name) => !composited.test(name))
      .map((name) => `it animates ${name}`),
    ...[...rules.matchAll(/([^{}]+)\{([^{}]*)\}/g)].flatMap(([, selectors = '', body = '']) =>
      body.includes('animation') ? ruleFaults(selectors, body) : [],
    ),
  ];
}

/** The properties that its keyframes name. */
function keyframes(css: string): string[] {
  const frames = [...css.matchAll(/@keyframes [^{]+\{((?:[^{}]*\{[^{}]*\})*)\}/g)];
  const bodies = frames.flatMap(([, body = '']) => [...body.matchAll(/\{([^{}]*)\}/g)]);
  const names = bodies.flatMap(([, body = '']) =>
    body.split(';').map((each) => each.split(':')[0]),
  );
  return [...new Set(names.map((name = '') => name.trim()).filter(Boolean))];
}

function ruleFaults(selectors: string, body: string): string[] {
  const apart = selectors.split(',').filter((selector) => !selector.trim().startsWith(':host '));
  const long = [...body.matchAll(/animation:([^;]+)/g)].filter(
    ([, value = '']) => !(length(value) <= seconds),
  );
  return [
    ...apart.map((selector) => `${selector.trim()} moves in an image too: begin with :host`),
    ...long.map(([motion]) => `${motion} lasts longer than ${seconds} s`),
  ];
}

/** Of the shorthand: duration, delay and number of times, in that order. */
function length(value: string): number {
  const words = value.replaceAll(/\([^)]*\)/g, '').split(/\s+/);
  const [duration = Number.NaN, delay = 0] = words
    .filter((word) => /^-?[\d.]+s$/.test(word))
    .map(Number.parseFloat);
  const times = words.includes('infinite')
    ? Number.POSITIVE_INFINITY
    : Number(words.find((word) => /^[\d.]+$/.test(word)) ?? 1);
  return duration * times + delay;
}
