import words from 'content:contact-outcome';
import messages from 'content:messages';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { Notice } from '../../sections/notice.tsx';
import { BookingLink } from '../../ui/booking-link.tsx';
import { ButtonLink } from '../../ui/button.tsx';

/** Where the contact form leads without a script. */
export function Page() {
  return (
    <Notice title={messages.contact_sent} text={words.sent.text}>
      <BookingLink label={words.sent.booking} />
      <ButtonLink href={words.sent.back.path} variant="ghost">
        {words.sent.back.label}
      </ButtonLink>
    </Notice>
  );
}

export const meta = (): PageHead => ({
  title: pageTitle(words.sent.head.title),
  description: words.sent.head.description,
  picture: words.sent,
});
