/** Components of the site as Astro can render them: each by itself, with the content around it. */
import content from 'site:content';
import { ContentContext } from '@web/content/context.ts';
import * as footer from '@web/layout/footer.tsx';
import * as header from '@web/layout/header.tsx';
import * as home from '@web/pages/home/page.tsx';
import * as facts from '@web/ui/contact-links.tsx';
import type { ComponentType } from 'react';

const inContent =
  <Props extends object>(Component: ComponentType<Props>) =>
  (props: Props) => (
    <ContentContext value={content}>
      <Component {...props} />
    </ContentContext>
  );

export const Footer = inContent(footer.Footer);
export const Header = inContent(header.Header);
export const Sections = inContent(home.Sections);
export const EmailLink = inContent(facts.EmailLink);
export { PhoneLink } from '@web/ui/contact-links.tsx';
