/**
 * Replaces the colours of the design by the owner's. The design has two: an accent for what can be pressed, a highlight for
 * what is marked. Every colour is a shade of one of them, lies between them, or belongs to neither (errors, greys) and
 * stays as it is.
 *
 * A shade takes hue and chroma from the owner's colour and keeps its luminance, so every contrast stays the same.
 */
import { clampChroma, converter, formatHex, type Oklch, wcagLuminance } from 'culori';
import type { Plugin } from 'vite';

export type Colours = { accent?: string | undefined; highlight?: string | undefined };

const oklch = converter('oklch');
const rgb = converter('rgb');

const original = { accent: toneOf('#8b5cf6'), highlight: toneOf('#ff9a62') };
/** The background of the pages, and of what browsers and home screens draw around them. */
export const backgroundColour = (colours?: Colours) => recolouring(colours)('#09080f');

/** Replaces the colours in a text: a style, a drawing, or a single colour. */
export function recolouring(colours: Colours = {}): (text: string) => string {
  if (!colours.accent && !colours.highlight) return (text) => text;
  const own = {
    accent: colours.accent ? toneOf(colours.accent) : original.accent,
    highlight: colours.highlight ? toneOf(colours.highlight) : original.highlight,
  };
  return (text) =>
    text
      .replace(hexColours, (written) => shade(written, own))
      .replace(rgbChannels, (_, channels: string) => {
        const { r, g, b } = rgb(shade(`rgb(${channels})`, own)) ?? { r: 0, g: 0, b: 0 };
        return `rgb(${[r, g, b].map((channel) => Math.round(channel * 255)).join(' ')}`;
      });
}

/** Not the references to a gradient, whose name may look like a colour. */
const hexColours = /(?<!url\(|href=")#(?:[0-9a-f]{6}|[0-9a-f]{3})\b/gi;
/** The opacity follows, and stays. */
const rgbChannels = /rgb\((\d+ \d+ \d+)/g;

type Tone = { c: number; h: number };
type BrandTones = { accent: Tone; highlight: Tone };

function shade(colour: string, own: BrandTones): string {
  const { c, h } = toneOf(colour);
  const fromAccent = hueDifference(original.accent.h, h);
  const fromHighlight = hueDifference(original.highlight.h, h);
  const recoloured = (hue: number, of: keyof BrandTones) =>
    formatHex(withLuminance(hue, c * chromaFactor(own[of], original[of]), wcagLuminance(colour)));

  if (c < 0.001) return colour;
  if (Math.abs(fromHighlight) < 15) return recoloured(own.highlight.h + fromHighlight, 'highlight');
  if (Math.abs(fromAccent) > 45) return colour;
  if (fromAccent < 0) return recoloured(own.accent.h + fromAccent, 'accent');
  // Between the two: the same share of the way from accent to highlight as in the original.
  const share = fromAccent / hueDifference(original.accent.h, original.highlight.h);
  return recoloured(own.accent.h + share * hueDifference(own.accent.h, own.highlight.h), 'accent');
}

/** A less saturated brand colour makes every shade less saturated; a more saturated one changes nothing. */
const chromaFactor = (own: Tone, drawn: Tone) => Math.min(1, own.c / drawn.c);

/** The colour with this hue and luminance, with at most this chroma and as much as screens can show. */
function withLuminance(h: number, c: number, luminance: number): Oklch {
  let [dark, light] = [0, 1];
  const at = (l: number) => clampChroma({ mode: 'oklch', l, c, h }, 'oklch');
  for (let step = 0; step < 24; step += 1) {
    const middle = (dark + light) / 2;
    if (wcagLuminance(at(middle)) < luminance) dark = middle;
    else light = middle;
  }
  return at((dark + light) / 2);
}

/** Chroma and hue; the hue of a grey means nothing. */
function toneOf(colour: string): Tone {
  const { c = 0, h = 0 } = oklch(colour) ?? {};
  return { c, h };
}

/** From one hue to another, the short way round. */
const hueDifference = (from: number, to: number) => ((((to - from) % 360) + 540) % 360) - 180;

/** The files with colours: the tokens of the styles, and the one script that draws. */
const coloured = /\/(tokens\.css|particles\.ts)(\?|$)/;

/** Puts the owner's colours into them. `make dev` follows the owner's changes. */
export const brandPlugin = (colours: () => Colours | undefined): Plugin => ({
  name: 'brand',
  enforce: 'pre',
  config: () => ({ worker: { plugins: () => [brandPlugin(colours)] } }),
  transform: (code, id) => (coloured.test(id) ? recolouring(colours())(code) : undefined),
});
