import words from 'content:not-found';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { Notice } from '../../sections/notice.tsx';
import { ButtonLink } from '../../ui/button.tsx';

export function Page() {
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

export const meta = (): PageHead => ({
  title: pageTitle(words.head.title),
  description: words.head.description,
  picture: { title: words.title, kicker: words.kicker },
});
