import about from 'content:about';
import { heroHead } from '../../lib/head.ts';
import { organization } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Mission } from './mission.tsx';
import { Team } from './team.tsx';
import { Values } from './values.tsx';
import { WhyChooseUs } from './why-choose-us.tsx';

export function Page() {
  return (
    <>
      <PageHero {...about.hero} />
      <Mission />
      <Values />
      <WhyChooseUs />
      <Team />
      {about.closing && <ClosingCall closing={about.closing} />}
    </>
  );
}

export const meta = () => heroHead(about, organization());
