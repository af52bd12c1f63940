import { useContent } from '../../content/context.ts';
import type { Service } from '../../content/types.ts';
import { fadeInThreshold } from '../../lib/reveal.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import { SectionTitle } from '../../ui/section-title.tsx';
import styles from './service-section.module.css';

/** Picture and words change sides from one service to the next. */
export function ServiceSection({ service, index }: { service: Service; index: number }) {
  const { services: words } = useContent().pages;
  return (
    <>
      {/* The footer's shorter name. It stands outside the section, which moves while it fades in. */}
      {service.anchor && service.anchor !== service.id && <div id={service.anchor} />}
      <Section
        id={service.id}
        title={service.title}
        backgroundColor={index % 2 === 0 ? 'dark-lighter' : 'dark'}
        spacing="lg"
      >
        <div
          className={service.picture ? styles.layout : undefined}
          data-turned={service.picture && index % 2 === 1}
        >
          <div className={styles.words}>
            <p className={styles.subtitle}>
              <Icon path={service.icon} />
              {service.subtitle}
            </p>
            <SectionTitle className={styles.title} />
            <p className={styles.description}>{service.description}</p>
            <ButtonLink href="/contact" icon="arrow-right">
              {words.get_started}
            </ButtonLink>
          </div>
          {service.picture && (
            <div className={styles.art} data-late data-fade={fadeInThreshold}>
              <Picture
                picture={service.picture}
                framed
                className={service.picture.sources && styles.photo}
              />
            </div>
          )}
        </div>
        <div className={styles.lists}>
          <div>
            <h3 className={styles.listTitle}>{words.features_title}</h3>
            <ul className={styles.features}>
              {service.features.map((feature) => (
                <li key={feature} data-fade={fadeInThreshold}>
                  <Icon name="check" size={18} />
                  {feature}
                </li>
              ))}
            </ul>
          </div>
          <div>
            <h3 className={styles.listTitle}>{words.benefits_title}</h3>
            <ul className={styles.benefits}>
              {service.benefits.map((benefit) => (
                <li key={benefit} data-fade={fadeInThreshold}>
                  {benefit}
                </li>
              ))}
            </ul>
          </div>
        </div>
      </Section>
    </>
  );
}
