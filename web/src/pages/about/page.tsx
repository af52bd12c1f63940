import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { heroHead } from '../../lib/head.ts';
import { organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { PointCard } from '../../sections/point-card.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Section } from '../../ui/section.tsx';
import { Mission } from './mission.tsx';
import { Team } from './team.tsx';
import { Values } from './values.tsx';

export function Page() {
  const { about } = useContent().pages;
  return (
    <>
      <PageHero {...about.hero} />
      <Mission />
      <Values />
      <WhyChooseUs />
      <Team />
      {about.closing && <ClosingCall closing={about.closing} />}
    </>
  );
}

function WhyChooseUs() {
  const { why } = useContent().pages.about;
  if (!why) return null;
  const { items, ...words } = why;
  return (
    <Section {...words} heading="center" backgroundColor="dark-accent">
      <Grid count={items.length} most={3}>
        {items.map((point, index) => (
          <PointCard key={point.title} point={point} index={index % 3} />
        ))}
      </Grid>
    </Section>
  );
}

export const meta = ({ site, pages }: Content) => heroHead(site, pages.about, organization(site));
