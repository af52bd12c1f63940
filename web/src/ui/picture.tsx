import pictures from 'content:pictures';
import type { PictureRef } from '../content/types.ts';

type PictureProps = { picture: PictureRef; eager?: boolean; className?: string | undefined };

/** A drawing of `web/pictures/`, with its room kept free while it loads. */
export function Picture({ picture, eager = false, className }: PictureProps) {
  const file = pictures[picture.name];
  if (!file) throw new Error(`there is no picture ${picture.name}`);
  return (
    <img
      src={file.src}
      width={file.width}
      height={file.height}
      alt={picture.alt}
      className={className}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
    />
  );
}
