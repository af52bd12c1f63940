import home from 'content:home';
import { Steps } from '../../sections/steps.tsx';
import { Section } from '../../ui/section.tsx';

export function HowItWorks() {
  if (!home.steps) return null;
  const { items, ...words } = home.steps;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <Steps items={items} />
    </Section>
  );
}
