import contact from 'content:contact';
import { heroHead } from '../../lib/head.ts';
import { faqPage, organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Faq } from './faq.tsx';
import { FormAndInfo } from './form-and-info.tsx';
import { Timeline } from './timeline.tsx';

export function Page() {
  return (
    <>
      <PageHero {...contact.hero} />
      <FormAndInfo />
      <Timeline />
      <Faq />
      {contact.closing && <ClosingCall closing={contact.closing} />}
    </>
  );
}

export const meta = () =>
  heroHead(contact, organization(), ...(contact.faq ? [faqPage(contact.faq.items)] : []));
