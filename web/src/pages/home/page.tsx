import home from 'content:home';
import services from 'content:service-cards';
import type { PageHead } from '../../lib/page.ts';
import { organization, serviceList, website } from '../../lib/structured-data.ts';
import { ContactSection } from './contact-section.tsx';
import { Expectations } from './expectations.tsx';
import { Hero } from './hero.tsx';
import { HowItWorks } from './how-it-works.tsx';
import { Logos } from './logos.tsx';
import { Services } from './services.tsx';
import { Showcase } from './showcase.tsx';
import { Testimonials } from './testimonials.tsx';

/** All but the contact form, which one of the benchmark's peers makes in its own way. */
export function Sections() {
  return (
    <>
      <Hero />
      <Logos />
      <Services />
      <HowItWorks />
      <Expectations />
      <Showcase />
      <Testimonials />
    </>
  );
}

export function Page() {
  return (
    <>
      <Sections />
      <ContactSection />
    </>
  );
}

export const meta = (): PageHead => ({
  ...home.head,
  picture: { title: home.hero.headline, kicker: home.services.kicker },
  structuredData: [organization(), website(), ...serviceList(services)],
});
