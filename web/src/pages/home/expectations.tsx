import home from 'content:home';
import { BesideHeading } from '../../sections/beside-heading.tsx';
import { PointCard } from '../../sections/point-card.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Section } from '../../ui/section.tsx';

export function Expectations() {
  if (!home.expectations) return null;
  const { items, ...words } = home.expectations;
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
