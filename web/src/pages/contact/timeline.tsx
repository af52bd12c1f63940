import contact from 'content:contact';
import { Steps } from '../../sections/steps.tsx';
import { Section } from '../../ui/section.tsx';

/** What happens after the call: there once the content says so. */
export function Timeline() {
  if (!contact.timeline) return null;
  const { items, ...words } = contact.timeline;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <Steps items={items} />
    </Section>
  );
}
