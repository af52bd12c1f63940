/**
 * What the server shows when a post without a script was not accepted. The
 * tokens in double braces are replaced, escaped, by `src/http/`.
 */

import contact from 'content:contact';
import formWords from 'content:contact-form';
import words from 'content:contact-outcome';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { serverFilled } from '../../lib/server-filled.ts';
import { ContactForm } from '../../sections/contact-form.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Card } from '../../ui/card.tsx';
import { Section } from '../../ui/section.tsx';

export function Page() {
  return (
    <>
      <PageHero kicker={contact.hero.kicker} title={words.failed.title} lead={words.failed.text} />
      <Section spacing="md" containerType="narrow">
        <Card padding="lg" shadow="glow">
          <ContactForm
            location="{{form_location}}"
            words={formWords}
            filled={{
              error: '{{message}}',
              idempotencyKey: '{{idempotency_key}}',
              // The place called `message` is the error's.
              field: (name) => serverFilled(name, name === 'message' ? 'body' : name),
            }}
          />
        </Card>
      </Section>
    </>
  );
}

export const meta = (): PageHead => ({
  title: pageTitle(words.failed.head.title),
  description: words.failed.head.description,
  picture: { ...contact.hero, name: 'contact' },
});
