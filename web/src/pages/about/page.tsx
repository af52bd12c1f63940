import about from 'content:about';
import { type PageMeta, pageTitle } from '../../lib/head.ts';
import { breadcrumbs, organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Mission } from './mission.tsx';
import { Values } from './values.tsx';
import { WhyChooseUs } from './why-choose-us.tsx';

export function Page() {
  return (
    <>
      <PageHero {...about.hero} />
      <Mission />
      <Values />
      <WhyChooseUs />
      <ClosingCall closing={about.closing} />
    </>
  );
}

export const meta = (): PageMeta => ({
  path: '/about',
  title: pageTitle(about.head.title),
  description: about.head.description,
  picture: { name: 'about', title: about.hero.title, kicker: about.hero.kicker },
  index: true,
  structuredData: [
    organization(),
    breadcrumbs({ name: 'Home', path: '/' }, { name: about.hero.kicker, path: '/about' }),
  ],
});
