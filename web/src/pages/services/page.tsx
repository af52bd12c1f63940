import { useContent } from '../../content/context.ts';
import type { Content, Service } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { fadeInThreshold } from '../../lib/reveal-timing.ts';
import { serviceList } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { Card, CardWords } from '../../ui/card.tsx';
import { newTab } from '../../ui/contact-links.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Kicker, Section, SectionTitle } from '../../ui/section.tsx';
import styles from './page.module.css';

export function Page() {
  const { services, pages } = useContent();
  const { services: words } = pages;
  return (
    <>
      <PageHero {...words.hero} />
      {services.map((service, index) => (
        <ServiceSection key={service.id} service={service} index={index} />
      ))}
      <Cases />
      {words.closing && <ClosingCall closing={words.closing} />}
    </>
  );
}

/** Picture and words change sides with each service. */
function ServiceSection({ service, index }: { service: Service; index: number }) {
  const { services: words } = useContent().pages;
  return (
    <>
      {/* For the footer's shorter link. It's outside the section, which moves while it fades in. */}
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
          <div className={styles.serviceSectionWords}>
            <p className={styles.subtitle}>
              <Icon path={service.icon} />
              {service.subtitle}
            </p>
            <SectionTitle />
            <p className={styles.description}>{service.description}</p>
            <ButtonLink href="/contact" icon="arrow-right">
              {words.get_started}
            </ButtonLink>
          </div>
          {service.picture && (
            <div className={styles.art} data-fade={fadeInThreshold}>
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

function Cases() {
  const { services: words } = useContent().pages;
  if (!words.cases) return null;
  const { items, ...head } = words.cases;
  const hasPictures = items.some(({ picture }) => picture);
  return (
    <Section {...head} heading="split" backgroundColor="dark-accent">
      <Grid count={items.length} most={3}>
        {items.map((item, index) => (
          <Card key={item.title} padding="none" index={index % 3} className={styles.card}>
            {item.picture ? (
              <Picture picture={item.picture} className={styles.picture} />
            ) : (
              hasPictures && <div className={styles.placeholder} />
            )}
            <CardWords className={styles.casesWords}>
              <Kicker>{item.client}</Kicker>
              <h3 className={styles.casesTitle}>{item.title}</h3>
              <p className={styles.text}>{item.text}</p>
              {item.results && (
                <ul className={styles.results}>
                  {item.results.map((result) => (
                    <li key={result}>
                      <Icon name="check" size={18} />
                      {result}
                    </li>
                  ))}
                </ul>
              )}
              {item.link && (
                <a className={`arrow-link ${styles.link}`} href={item.link.url} {...newTab}>
                  {item.link.label}
                  <Icon name="arrow-up-right" size={18} />
                </a>
              )}
            </CardWords>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

export function meta(content: Content) {
  const { head, hero } = content.pages.services;
  return pageHead(content.site, head, hero, ...serviceList(content));
}
