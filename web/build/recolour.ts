/**
 * The design in the owner's colours. It has two: an accent for what can be pressed, a highlight for what is marked. Every
 * colour is a shade of one of them, is between them, or belongs to neither (errors, greys) and stays as it is.
 *
 * A shade takes hue and strength from the owner's colour and keeps its luminance, and so every contrast.
 */
import { clampChroma, converter, formatHex, type Oklch, wcagLuminance } from 'culori';
import type { Root } from 'postcss';
import type { Plugin } from 'vite';

export type Colours = { accent?: string | undefined; highlight?: string | undefined };

const oklch = converter('oklch');
const rgb = converter('rgb');

const drawn = { accent: polar('#8b5cf6'), highlight: polar('#ff9a62') };
/** The background of the pages, and of what browsers and home screens draw around them. */
export const groundColour = (colours?: Colours) => recolouring(colours)('#09080f');

/** Replaces the colours in a text: a style, a drawing, or a single colour. */
export function recolouring(colours: Colours = {}): (text: string) => string {
  if (!colours.accent && !colours.highlight) return (text) => text;
  const own = {
    accent: colours.accent ? polar(colours.accent) : drawn.accent,
    highlight: colours.highlight ? polar(colours.highlight) : drawn.highlight,
  };
  return (text) =>
    text
      .replace(hex, (written) => shade(written, own))
      .replace(numbers, (_, channels: string) => {
        const { r, g, b } = rgb(shade(`rgb(${channels})`, own)) ?? { r: 0, g: 0, b: 0 };
        return `rgb(${[r, g, b].map((channel) => Math.round(channel * 255)).join(' ')}`;
      });
}

/** The name of a gradient may look like a colour. */
const hex = /(?<!url\(|href=")#(?:[0-9a-f]{6}|[0-9a-f]{3})\b/gi;
/** The opacity follows, and stays. */
const numbers = /rgb\((\d+ \d+ \d+)/g;

type Polar = { c: number; h: number };
type Look = { accent: Polar; highlight: Polar };

function shade(colour: string, own: Look): string {
  const { c, h } = polar(colour);
  const fromAccent = arc(drawn.accent.h, h);
  const fromHighlight = arc(drawn.highlight.h, h);
  const lightLike = (hue: number, of: keyof Look) =>
    formatHex(lit(hue, c * strength(own[of], drawn[of]), wcagLuminance(colour)));

  if (c < 0.001) return colour;
  if (Math.abs(fromHighlight) < 15) return lightLike(own.highlight.h + fromHighlight, 'highlight');
  if (Math.abs(fromAccent) > 45) return colour;
  if (fromAccent < 0) return lightLike(own.accent.h + fromAccent, 'accent');
  // As far from the accent towards the highlight as before.
  const way = fromAccent / arc(drawn.accent.h, drawn.highlight.h);
  return lightLike(own.accent.h + way * arc(own.accent.h, own.highlight.h), 'accent');
}

/** A duller colour makes the design calmer; a stronger one must not make it louder. */
const strength = (own: Polar, asDrawn: Polar) => Math.min(1, own.c / asDrawn.c);

/** The colour with this hue and luminance, as strong as screens can show it. */
function lit(h: number, c: number, luminance: number): Oklch {
  let [dark, light] = [0, 1];
  const at = (l: number) => clampChroma({ mode: 'oklch', l, c, h }, 'oklch');
  for (let step = 0; step < 24; step += 1) {
    const middle = (dark + light) / 2;
    if (wcagLuminance(at(middle)) < luminance) dark = middle;
    else light = middle;
  }
  return at((dark + light) / 2);
}

/** Strength and hue; the hue of a grey means nothing. */
function polar(colour: string): Polar {
  const { c = 0, h = 0 } = oklch(colour) ?? {};
  return { c, h };
}

/** From one hue to another, the short way round. */
const arc = (from: number, to: number) => ((((to - from) % 360) + 540) % 360) - 180;

/** Puts the owner's colours into the styles, and into the one script that draws. `make dev` follows the owner's changes. */
export function brandPlugin(colours: () => Colours | undefined): Plugin {
  const recolour = (text: string) => recolouring(colours())(text);
  const styles = {
    postcssPlugin: 'brand',
    Once(root: Root) {
      root.walkDecls((declaration) => {
        declaration.value = recolour(declaration.value);
      });
    },
  };
  return {
    name: 'brand',
    config: () => ({
      css: { postcss: { plugins: [styles] } },
      worker: { plugins: () => [brandPlugin(colours)] },
    }),
    transform: (code, id) => (id.endsWith('/particles/particles.ts') ? recolour(code) : undefined),
  };
}
