import contact from 'content:contact';
import { type PageMeta, pageTitle } from '../../lib/head.ts';
import { breadcrumbs, faqPage, organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Faq } from './faq.tsx';
import { FormAndInfo } from './form-and-info.tsx';

export function Page() {
  return (
    <>
      <PageHero {...contact.hero} />
      <FormAndInfo />
      <Faq />
      <ClosingCall closing={contact.closing} />
    </>
  );
}

export const meta = (): PageMeta => ({
  path: '/contact',
  title: pageTitle(contact.head.title),
  description: contact.head.description,
  picture: { name: 'contact', title: contact.hero.title, kicker: contact.hero.kicker },
  index: true,
  structuredData: [
    organization(),
    faqPage(contact.faq.items),
    breadcrumbs({ name: 'Home', path: '/' }, { name: contact.hero.kicker, path: '/contact' }),
  ],
});
