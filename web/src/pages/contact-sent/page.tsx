import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { Notice } from '../../sections/notice.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { BookingLink } from '../../ui/contact-links.tsx';

export function Page() {
  const { messages, pages } = useContent();
  const { 'contact-outcome': words } = pages;
  return (
    <Notice title={messages.contact_sent} text={words.sent.text}>
      <BookingLink label={words.sent.booking} />
      <ButtonLink href={words.sent.back.path} variant="ghost">
        {words.sent.back.label}
      </ButtonLink>
    </Notice>
  );
}

export function meta({ site, pages }: Content) {
  const { sent } = pages['contact-outcome'];
  return pageHead(site, sent.head, sent);
}
