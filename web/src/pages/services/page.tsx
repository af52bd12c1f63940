import services from 'content:service-list';
import words from 'content:services';
import { type PageMeta, pageTitle } from '../../lib/head.ts';
import { breadcrumbs, serviceList } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { ServiceSection } from './service-section.tsx';

export function Page() {
  return (
    <>
      <PageHero {...words.hero} />
      {services.map((service, index) => (
        <ServiceSection key={service.id} service={service} index={index} />
      ))}
      <ClosingCall closing={words.closing} />
    </>
  );
}

export const meta = (): PageMeta => ({
  path: '/services',
  title: pageTitle(words.head.title),
  description: words.head.description,
  picture: { name: 'services', title: words.hero.title, kicker: words.hero.kicker },
  index: true,
  structuredData: [
    ...serviceList(services),
    breadcrumbs({ name: 'Home', path: '/' }, { name: words.hero.kicker, path: '/services' }),
  ],
});
