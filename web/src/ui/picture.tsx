import type { Picture as PictureData } from '../content/types.ts';
import { fadeInThreshold } from '../lib/reveal.ts';
import { classes } from './classes.ts';
import styles from './picture.module.css';

type PictureProps = {
  picture: PictureData;
  /** At the top of its page: it is asked for at once. */
  eager?: boolean;
  /** Fades in by itself; not for a picture that fades in as a part of something. */
  fades?: boolean;
  /** Stands by itself: a photo gets the corners that drawings have. */
  framed?: boolean;
  /** How wide a photo is shown; where nothing is said, the browser finds out, or takes half of a wide screen. */
  sizes?: string;
  className?: string | undefined;
};

const anywhere = 'auto, (min-width: 60rem) 50vw, 100vw';

/**
 * A picture with its room kept free while it loads: a drawing of `web/pictures/`, which is a scene
 * that may play, or a photo.
 */
export function Picture({
  picture: { src, width, height, alt, sources },
  eager = false,
  fades = false,
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
      className={classes(className, framed && sources && styles.framed) || undefined}
      loading={eager ? 'eager' : 'lazy'}
      decoding="async"
      fetchPriority={eager && sources ? 'high' : undefined}
      data-scene={sources ? undefined : ''}
      data-fade={fades ? fadeInThreshold : undefined}
    />
  );
  if (!sources) return image;
  return (
    <picture>
      {sources.map(({ type, srcset }) => (
        // Hidden: it would be a cell of a grid, as empty as wide.
        <source key={type} type={type} srcSet={srcset} sizes={sizes} hidden />
      ))}
      {image}
    </picture>
  );
}
