/**
 * What subscribers see outside the blog. Filled in and sent by the server
 * (`src/http/forms/`), one document each, without a script: the
 * address of most of them carries a secret.
 */

import blog from 'content:blog';
import messages from 'content:messages';
import words from 'content:newsletter';
import { pageTitle } from '../../lib/head.ts';
import type { PageHead } from '../../lib/page.ts';
import { serverFilled } from '../../lib/server-filled.ts';
import { NewsletterForm } from '../../sections/newsletter-form.tsx';
import { Notice } from '../../sections/notice.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { type Name, newsletterPages } from './names.ts';
import styles from './page.module.css';

const named = (slug: string): Name => newsletterPages.find((name) => name === slug) ?? 'failed';

export function Page({ slug }: { slug: string }) {
  const name = named(slug);
  const title = name === 'accepted' ? messages.newsletter_accepted : words[name].title;
  return (
    <Notice kicker={words.kicker} title={title} text={words[name].text}>
      {name === 'refused' && (
        <div className={styles.form}>
          <NewsletterForm
            words={blog.newsletter}
            consentVersion={blog.newsletter.consent_version}
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

export function meta(slug: string): PageHead {
  const { head } = words[named(slug)];
  return {
    title: pageTitle(head.title),
    description: head.description,
    picture: { name: 'newsletter', title: words.accepted.head.title, kicker: words.kicker },
  };
}
