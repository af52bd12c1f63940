import type { Picture as PictureData } from '../content/types.ts';

type PictureProps = { picture: PictureData; eager?: boolean; className?: string | undefined };

/** A drawing of `web/pictures/`, with its room kept free while it loads. */
export function Picture({ picture, eager = false, className }: PictureProps) {
  return (
    <img
      src={picture.src}
      width={picture.width}
      height={picture.height}
      alt={picture.alt}
      className={className}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
    />
  );
}
