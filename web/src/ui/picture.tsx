import type { Picture as PictureData } from '../content/types.ts';
import { fadeInThreshold } from '../lib/reveal-timing.ts';
import { classes } from './classes.ts';
import styles from './picture.module.css';

type PictureProps = {
  picture: PictureData;
  /** At the top of its page: it loads at once, and fades in by itself. */
  eager?: boolean;
  /** As wide as its place; a photo gets the corners that drawings have. */
  framed?: boolean;
  /** How wide a photo is shown; by default the browser finds out, or assumes half of a wide screen. */
  sizes?: string;
  className?: string | undefined;
};

const anywhere = 'auto, (min-width: 60rem) 50vw, 100vw';

/** A picture with its space reserved while it loads: a drawing of `web/pictures/`, which may play as a scene, or a photo. */
export function Picture({
  picture: { src, width, height, alt, sources },
  eager = false,
  framed = false,
  sizes = anywhere,
  className,
}: PictureProps) {
  const image = (
    <img
      src={src}
      width={width}
      height={height}
      alt={alt}
      className={
        classes(className, framed && styles.framed, framed && sources && styles.photo) || undefined
      }
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      fetchPriority={eager && sources ? 'high' : undefined}
      data-scene={sources ? undefined : ''}
      data-fade={eager ? fadeInThreshold : undefined}
    />
  );
  if (!sources) return image;
  return (
    <picture>
      {sources.map(({ type, srcset }) => (
        // Hidden: otherwise it would be an empty cell of a grid.
        <source key={type} type={type} srcSet={srcset} sizes={sizes} hidden />
      ))}
      {image}
    </picture>
  );
}
