import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Picture } from './picture.tsx';

const drawing = { src: '/a.svg', width: 640, height: 520, alt: 'A drawing' };
const photo = {
  ...drawing,
  src: '/a.jpg',
  sources: [
    { type: 'image/avif', srcset: '/a.avif 480w' },
    { type: 'image/webp', srcset: '/a.webp 480w' },
  ],
};

it('a photo is one cell of a grid: its sources take no space', () => {
  const sources = renderToStaticMarkup(<Picture picture={photo} />).match(/<source [^>]*>/g) ?? [];
  expect(sources).toHaveLength(2);
  expect(sources.filter((source) => !/ hidden=""/.test(source))).toEqual([]);
});
