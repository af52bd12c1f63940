import pricing from 'content:pricing';
import { type PageMeta, pageTitle } from '../../lib/head.ts';
import type { Params } from '../../lib/page.ts';
import { breadcrumbs } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Packages } from './packages.tsx';
import { WhyChoose } from './why-choose.tsx';

type PricingProps = {
  params?: Params;
  /** A problem that stops all packages, shown above them; nothing sets it today. */
  error?: string | undefined;
};

export function Page({ error }: PricingProps) {
  return (
    <>
      <PageHero {...pricing.hero} />
      <Packages error={error} />
      <WhyChoose />
      <ClosingCall closing={pricing.choosing} />
    </>
  );
}

export const meta = (): PageMeta => ({
  path: '/pricing',
  title: pageTitle(pricing.head.title),
  description: pricing.head.description,
  picture: { name: 'pricing', title: pricing.hero.title, kicker: pricing.hero.kicker },
  index: true,
  structuredData: [
    breadcrumbs({ name: 'Home', path: '/' }, { name: pricing.hero.kicker, path: '/pricing' }),
  ],
});
