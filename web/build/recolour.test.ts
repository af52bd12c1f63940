import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { converter, wcagLuminance } from 'culori';
import { expect, it } from 'vitest';
import { paths } from './paths.ts';
import { recolouring } from './recolour.ts';

const tokens = readFileSync(join(paths.web, 'src/styles/tokens.css'), 'utf8');

const oklch = converter('oklch');
const hue = (colour: string) => oklch(colour)?.h ?? Number.NaN;
const hexes = (text: string) => text.match(/#[0-9a-f]{6}/g) ?? [];

it('without the owner’s colours, or with the original ones, nothing changes', () => {
  expect(recolouring()(tokens)).toBe(tokens);
  expect(recolouring({ accent: '#8b5cf6', highlight: '#ff9a62' })(tokens)).toBe(tokens);
});

it.each(['#0f766e', '#facc15', '#000000', '#ffffff'])(
  'with %s every colour keeps its luminance',
  (accent) => {
    const [before, after] = [tokens, recolouring({ accent, highlight: accent })(tokens)].map(hexes);
    expect(before?.length).toBeGreaterThan(20);
    expect(after).toHaveLength(before?.length ?? 0);
    for (const [nth, colour] of (before ?? []).entries()) {
      const [was, is] = [colour, after?.[nth] ?? ''].map((one) => wcagLuminance(one) + 0.05);
      expect((is ?? 0) / (was ?? 1), `${colour} ${after?.[nth]}`).toBeCloseTo(1, 1);
    }
  },
);

it('an accent changes its shades, but neither highlights nor errors', () => {
  const recolour = recolouring({ accent: '#0f766e' });
  expect(hue(recolour('#8b5cf6'))).toBeCloseTo(hue('#0f766e'), -1);
  expect(hue(recolour('#b8b0cf'))).toBeCloseTo(hue('#0f766e'), -1.5);
  for (const colour of ['#ff9a62', '#ffb4a8', '#a6f0c6', '#ffffff', '#fff', '#000']) {
    expect(recolour(colour)).toBe(colour);
  }
});

it('a highlight changes its own shades, and those between the two', () => {
  const recolour = recolouring({ highlight: '#22c55e' });
  expect(hue(recolour('#ff9a62'))).toBeCloseTo(hue('#22c55e'), -1);
  expect(recolour('#8b5cf6')).toBe('#8b5cf6');
  expect(recolour('#c07bb4')).not.toBe('#c07bb4');
});

it('colours are found however they are written, and names are left alone', () => {
  const recolour = recolouring({ accent: '#808080' });
  expect(recolour('rgb(139 92 246 / 0.14)')).toMatch(/^rgb\((\d+) \1 \1 \/ 0\.14\)$/);
  expect(recolour('<a fill="#8B5CF6"/>')).toMatch(/^<a fill="#([0-9a-f]{2})\1\1"\/>$/);
  const names = '<use href="#face"/><path fill="url(#fade)" id="bad"/>';
  expect(recolour(names)).toBe(names);
});
