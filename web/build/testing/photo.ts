/** Photos as a phone takes them. */
import sharp from 'sharp';

type Shape = {
  width?: number;
  height?: number;
  /** How the camera was held: 6 is upright, with the picture on its side. */
  orientation?: number;
};

/** Red on the left, blue on the right, with a phone's metadata. */
export async function phonePhoto({ width = 1600, height = 1200, orientation = 1 }: Shape = {}) {
  const half = { width: Math.round(width / 2), height, channels: 3 } as const;
  const red = sharp({ create: { ...half, background: '#c02020' } });
  return sharp({ create: { width, height, channels: 3, background: '#2020c0' } })
    .composite([{ input: await red.png().toBuffer(), left: 0, top: 0 }])
    .jpeg({ quality: 92 })
    .withExif({
      IFD0: { Make: 'A phone', Model: 'Somebody’s' },
      IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '43/1 39/1 0/1' },
    })
    .withMetadata({ orientation })
    .toBuffer();
}
