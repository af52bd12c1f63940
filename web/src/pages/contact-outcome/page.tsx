/**
 * The server's answer when a message sent without a script was not accepted. `src/http/` replaces the tokens in double
 * braces, escaped.
 */
import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { ContactForm } from '../../sections/contact-form.tsx';
import { serverFilled, useContactForm } from '../../sections/form-islands.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Card } from '../../ui/card.tsx';
import { Section } from '../../ui/section.tsx';

export function Page() {
  const { contact, 'contact-outcome': words } = useContent().pages;
  const form = useContactForm();
  return (
    <>
      <PageHero kicker={contact.hero.kicker} title={words.failed.title} lead={words.failed.text} />
      <Section spacing="md" containerType="narrow">
        <Card padding="lg" shadow="glow">
          <ContactForm
            location="{{form_location}}"
            {...form}
            filled={{
              error: '{{message}}',
              idempotencyKey: '{{idempotency_key}}',
              // The placeholder `message` is the error's.
              field: (name) => serverFilled(name, name === 'message' ? 'body' : name),
            }}
          />
        </Card>
      </Section>
    </>
  );
}

export const meta = ({ site, pages }: Content) =>
  pageHead(site, pages['contact-outcome'].failed.head, { ...pages.contact.hero, name: 'contact' });
