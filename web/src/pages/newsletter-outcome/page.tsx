/**
 * The pages for subscribers outside the blog. The server (`src/http/forms/`) fills them in, one document each, without
 * a script: the address of most of them has a secret in it.
 */
import { useContent } from '../../content/context.ts';
import type { Content } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { serverFilled, useNewsletterForm } from '../../sections/form-islands.tsx';
import { NewsletterForm } from '../../sections/newsletter-form.tsx';
import { Notice } from '../../sections/notice.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import styles from './page.module.css';

type Words = Content['pages']['newsletter'];
type Name = Exclude<keyof Words, 'kicker' | 'ways'>;

export function Page({ slug }: { slug: string }) {
  const { messages, pages } = useContent();
  const words = pages.newsletter;
  const name = slug as Name;
  const form = useNewsletterForm();
  const title = name === 'accepted' ? messages.newsletter_accepted : words[name].title;
  return (
    <Notice kicker={words.kicker} title={title} text={words[name].text}>
      {name === 'refused' && (
        <div className={styles.form}>
          <NewsletterForm
            {...form}
            filled={{ error: '{{message}}', field: serverFilled('email') }}
          />
        </div>
      )}
      {(name === 'confirm' || name === 'unsubscribe') && (
        // Without an action it posts to its own address, and so with its token.
        <form method="post">
          <Button type="submit" wide>
            {words[name].button}
          </Button>
        </form>
      )}
      {words.ways.map(({ label, path }) => (
        <ButtonLink key={path} href={path} variant="ghost">
          {label}
        </ButtonLink>
      ))}
    </Notice>
  );
}

export function meta({ site, pages }: Content, slug: string) {
  const words = pages.newsletter;
  const picture = { name: 'newsletter', title: words.accepted.head.title, kicker: words.kicker };
  return pageHead(site, words[slug as Name].head, picture);
}
