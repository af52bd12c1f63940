import type { Picture as PictureData } from '../content/types.ts';
import { fadeInThreshold } from '../lib/reveal.ts';

type PictureProps = {
  picture: PictureData;
  eager?: boolean;
  /** Fades in by itself; not for a picture that fades in as a part of something. */
  fades?: boolean;
  className?: string | undefined;
};

/** A drawing of `web/pictures/`, with its room kept free while it loads; a scene that may play. */
export function Picture({ picture, eager = false, fades = false, className }: PictureProps) {
  return (
    <img
      src={picture.src}
      width={picture.width}
      height={picture.height}
      alt={picture.alt}
      className={className}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      data-scene=""
      data-fade={fades ? fadeInThreshold : undefined}
    />
  );
}
