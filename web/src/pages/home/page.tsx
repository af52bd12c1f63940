import { useContent } from '../../content/context.ts';
import type { Content, Picture as PictureData, Testimonial } from '../../content/types.ts';
import type { PageHead } from '../../lib/page.ts';
import { fadeInThreshold } from '../../lib/reveal-timing.ts';
import { organization, serviceList, website } from '../../lib/structured-data.ts';
import { ContactIsland } from '../../sections/form-islands.tsx';
import { Points } from '../../sections/points.tsx';
import { Steps } from '../../sections/steps.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { EmailLink, newTab, PhoneLink } from '../../ui/contact-links.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Heading, Section, SectionTitle } from '../../ui/section.tsx';
import { ServiceCard } from '../../ui/service-card.tsx';
import { Hero } from './hero.tsx';
import styles from './page.module.css';

/** All but the contact form, which one of the benchmark's peers renders in its own way. */
export function Sections() {
  const { home } = useContent().pages;
  return (
    <>
      <Hero />
      <Logos />
      <Services />
      <Steps steps={home.steps} />
      <Points points={home.expectations} most={2} heading="beside" />
      <Showcase />
      <Testimonials />
    </>
  );
}

export function Page() {
  return (
    <>
      <Sections />
      <ContactSection />
    </>
  );
}

function Logos() {
  const { home } = useContent().pages;
  if (!home.logos) return null;
  const { title, items } = home.logos;
  return (
    <Section title={title} spacing="sm">
      <SectionTitle className={styles.logosTitle} />
      <ul className={styles.logos}>
        {items.map(({ picture, url }) => (
          <li key={picture.alt}>
            {url ? (
              <a href={url} {...newTab}>
                <Picture picture={picture} className={shape(picture)} />
              </a>
            ) : (
              <Picture picture={picture} className={shape(picture)} />
            )}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** At the same height a round mark would look small beside a long name. */
const shape = ({ width, height }: PictureData) =>
  width / height < 1.6 ? styles.compact : styles.wordmark;

function Services() {
  const { services, pages } = useContent();
  const hasPictures = services.some(({ card_picture }) => card_picture);
  return (
    <Section {...pages.home.services} heading="split">
      <div className={styles.bento}>
        {services.map((service, index) => (
          <ServiceCard
            key={service.id}
            icon={service.icon}
            title={service.title}
            subtitle={service.subtitle}
            description={service.short_description}
            link={`/services#${service.id}`}
            index={index}
            placeholder={hasPictures}
            className={styles.card}
          >
            {service.card_picture && (
              <Picture
                picture={service.card_picture}
                className={service.card_picture.sources && styles.photo}
              />
            )}
          </ServiceCard>
        ))}
      </div>
    </Section>
  );
}

function Showcase() {
  const { home } = useContent().pages;
  if (!home.showcase) return null;
  const { label, picture, points, ...words } = home.showcase;
  return (
    <Section {...words} backgroundColor="dark-accent" containerType="wide">
      <div className={styles.showcaseLayout}>
        <figure
          className={classes(styles.showcaseFigure, points.length > 5 && styles.beside)}
          data-fade={fadeInThreshold}
        >
          <Picture picture={picture} framed />
          <figcaption className={styles.label}>{label}</figcaption>
        </figure>
        <div>
          <Heading />
          <ol className={styles.points}>
            {points.map((point) => (
              <li key={point.title} data-fade={fadeInThreshold}>
                <h3 className={styles.showcaseTitle}>{point.title}</h3>
                <p>{point.text}</p>
              </li>
            ))}
          </ol>
        </div>
      </div>
    </Section>
  );
}

function Testimonials() {
  const { home } = useContent().pages;
  if (!home.testimonials) return null;
  const { items, ...words } = home.testimonials;
  return (
    <Section {...words} heading="center" backgroundColor="dark-lighter">
      <Grid count={items.length} most={3}>
        {items.map((item, index) => (
          <Card key={item.quote} index={index % 3}>
            <figure className={styles.testimonialsFigure}>
              <blockquote className={classes(styles.quote, quoteSize(item.quote))}>
                {item.quote}
              </blockquote>
              <figcaption className={styles.by}>
                <span className={styles.name}>{item.name}</span>
                {item.role && <span>{item.role}</span>}
                <Source source={item.source} />
              </figcaption>
            </figure>
          </Card>
        ))}
      </Grid>
    </Section>
  );
}

/** Few words are large and many are small, so that cards in a row are filled alike. */
function quoteSize({ length }: string) {
  if (length <= 60) return styles.large;
  return length > 240 && styles.small;
}

function Source({ source: { label, url } }: Pick<Testimonial, 'source'>) {
  if (!url) return <cite className={styles.source}>{label}</cite>;
  return (
    <cite className={styles.source}>
      <a href={url} {...newTab}>
        {label}
      </a>
    </cite>
  );
}

function ContactSection() {
  const { site, pages } = useContent();
  return (
    <Section {...pages.home.contact} id="contact">
      <div className={styles.contactSectionLayout}>
        <div>
          <Heading />
          <ul className={styles.ways}>
            <li>
              <Icon name="mail" />
              <EmailLink />
            </li>
            {site.phone && (
              <li>
                <Icon name="phone" />
                <PhoneLink phone={site.phone} />
              </li>
            )}
          </ul>
        </div>
        <Card padding="lg" shadow="glow">
          <ContactIsland location="homepage" />
        </Card>
      </div>
    </Section>
  );
}

export function meta(content: Content): PageHead {
  const { home } = content.pages;
  return {
    ...home.head,
    picture: { title: home.hero.headline, kicker: home.services.kicker },
    structuredData: [organization(content.site), website(content.site), ...serviceList(content)],
  };
}
