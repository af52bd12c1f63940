/** Photos as a phone takes them, for tests to put beside content. */
import sharp from 'sharp';

type Shape = {
  width?: number;
  height?: number;
  /** As the camera was held: 6 is upright, with the picture lying on its side. */
  orientation?: number;
};

/**
 * Red on the left, blue on the right, with what a phone writes into it. Fine grain makes it as heavy
 * as a real one.
 */
export async function phonePhoto({ width = 1600, height = 1200, orientation = 1 }: Shape = {}) {
  const half = { width: Math.round(width / 2), height, channels: 3 } as const;
  const red = await sharp({ create: { ...half, background: '#c02020' } })
    .png()
    .toBuffer();
  const grain = { type: 'gaussian', mean: 0, sigma: 12 } as const;
  const noise = await sharp({
    create: { width, height, channels: 3, background: '#2020c0', noise: grain },
  })
    .png()
    .toBuffer();
  return sharp({ create: { width, height, channels: 3, background: '#2020c0' } })
    .composite([
      { input: red, left: 0, top: 0 },
      { input: noise, blend: 'soft-light' },
    ])
    .jpeg({ quality: 92 })
    .withExif({
      IFD0: { Make: 'A phone', Model: 'Somebody’s' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '43/1 39/1 0/1' },
    })
    .withMetadata({ orientation })
    .toBuffer();
}
