import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import type { PageHead } from '../../lib/page.ts';
import { organization, serviceList, website } from '../../lib/structured-data.ts';
import { BesideHeading } from '../../sections/beside-heading.tsx';
import { PointCard } from '../../sections/point-card.tsx';
import { Steps } from '../../sections/steps.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Section } from '../../ui/section.tsx';
import { ContactSection } from './contact-section.tsx';
import { Hero } from './hero.tsx';
import { Logos } from './logos.tsx';
import { Services } from './services.tsx';
import { Showcase } from './showcase.tsx';
import { Testimonials } from './testimonials.tsx';

/** All but the contact form, which one of the benchmark's peers makes in its own way. */
export function Sections() {
  return (
    <>
      <Hero />
      <Logos />
      <Services />
      <HowItWorks />
      <Expectations />
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

function HowItWorks() {
  const { steps } = useContent().pages.home;
  if (!steps) return null;
  const { items, ...words } = steps;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <Steps items={items} />
    </Section>
  );
}

function Expectations() {
  const { expectations } = useContent().pages.home;
  if (!expectations) return null;
  const { items, ...words } = expectations;
  return (
    <Section {...words}>
      <BesideHeading>
        <Grid count={items.length} most={2}>
          {items.map((point, index) => (
            <PointCard key={point.title} point={point} index={index % 2} />
          ))}
        </Grid>
      </BesideHeading>
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
