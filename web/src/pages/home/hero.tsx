import { useContent } from '../../content/context.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { BookingLink } from '../../ui/contact-links.tsx';
import { Icon } from '../../ui/icon.tsx';
import { MotionControl } from '../../ui/motion-control.tsx';
import styles from './hero.module.css';

/** The widths of the floating shapes, in pixels. */
const shapes = [600, 500, 300, 200, 150];

export function Hero() {
  const { site, pages } = useContent();
  const { hero } = pages.home;
  return (
    <section className={styles.hero} aria-labelledby="headline">
      {shapes.map((width) => (
        <div key={width} className={styles.shape} data-width={width} aria-hidden="true" />
      ))}
      <canvas className={styles.particles} data-particles />
      <div className={`column ${styles.inner}`}>
        <p className={styles.tagline}>{site.tagline}</p>
        <Headline {...hero} />
        <p className={styles.subtitle}>{hero.subtitle}</p>
        <div className={`buttons ${styles.actions}`}>
          <BookingLink label={hero.booking} />
          {hero.secondary && (
            <ButtonLink variant="ghost" href={hero.secondary.path}>
              {hero.secondary.label}
            </ButtonLink>
          )}
        </div>
        {hero.facts && (
          <ul className={styles.facts}>
            {hero.facts.map((fact) => (
              <li key={fact}>
                <Icon name="check" size={18} />
                {fact}
              </li>
            ))}
          </ul>
        )}
      </div>
      <MotionControl className={styles.motion} />
    </section>
  );
}

/** Word by word on wide screens; on small ones the style leaves it plain. */
function Headline({ headline, accent }: { headline: string; accent: string }) {
  const words = headline.split(' ');
  const plain = words.length - accent.split(' ').length;
  return (
    <h1 id="headline" className={styles.headline}>
      {words.map((word, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the words of a fixed sentence, in order.
        <span key={index}>
          {index > 0 && ' '}
          <span className={index < plain ? styles.word : styles.accent}>{word}</span>
        </span>
      ))}
    </h1>
  );
}
