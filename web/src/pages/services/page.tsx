import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { heroHead } from '../../lib/head.ts';
import { serviceList } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Cases } from './cases.tsx';
import { ServiceSection } from './service-section.tsx';

export function Page() {
  const { services, pages } = useContent();
  const { services: words } = pages;
  return (
    <>
      <PageHero {...words.hero} />
      {services.map((service, index) => (
        <ServiceSection key={service.id} service={service} index={index} />
      ))}
      <Cases />
      {words.closing && <ClosingCall closing={words.closing} />}
    </>
  );
}

export const meta = (content: Content) =>
  heroHead(content.site, content.pages.services, ...serviceList(content));
