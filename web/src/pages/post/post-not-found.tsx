import blog from 'content:blog';
import messages from 'content:messages';
import notFound from 'content:not-found';
import { Notice } from '../../sections/notice.tsx';
import { ButtonLink } from '../../ui/button.tsx';

export function PostNotFound() {
  return (
    <Notice
      kicker={blog.hero.kicker}
      title={messages.post_not_found}
      text={blog.not_found.text}
      picture={notFound.picture}
    >
      <ButtonLink href="/blog">{blog.not_found.back}</ButtonLink>
    </Notice>
  );
}
