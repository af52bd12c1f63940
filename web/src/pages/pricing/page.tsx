import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { heroHead } from '../../lib/head.ts';
import { offers } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Comparison } from './comparison.tsx';
import { Packages } from './packages.tsx';
import { WhyChoose } from './why-choose.tsx';

/** `error`: a problem that stops all packages, shown above them; nothing sets it today. */
export function Page({ error }: { error?: string | undefined }) {
  const { pricing } = useContent().pages;
  return (
    <>
      <PageHero {...pricing.hero} />
      <Packages error={error} />
      <Comparison />
      <WhyChoose />
      {pricing.choosing && <ClosingCall closing={pricing.choosing} />}
    </>
  );
}

export const meta = ({ site, pages }: Content) =>
  heroHead(site, pages.pricing, ...offers(site, pages.pricing.packages));
