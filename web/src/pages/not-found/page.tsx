import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { Notice } from '../../sections/notice.tsx';
import { ButtonLink } from '../../ui/button.tsx';

export function Page() {
  const { 'not-found': words } = useContent().pages;
  return (
    <Notice kicker={words.kicker} title={words.title} text={words.text} picture={words.picture}>
      {words.links.map((link, index) => (
        <ButtonLink key={link.path} href={link.path} variant={index === 0 ? 'primary' : 'ghost'}>
          {link.label}
        </ButtonLink>
      ))}
    </Notice>
  );
}

export function meta({ site, pages }: Content) {
  const { head, title, kicker } = pages['not-found'];
  return pageHead(site, head, { title, kicker });
}
