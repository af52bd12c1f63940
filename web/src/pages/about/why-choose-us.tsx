import about from 'content:about';
import { PointCard } from '../../sections/point-card.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Section } from '../../ui/section.tsx';

export function WhyChooseUs() {
  if (!about.why) return null;
  const { items, ...words } = about.why;
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
