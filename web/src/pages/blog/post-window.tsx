/**
 * A post over the list, in the browser's own dialog: focus stays inside, Escape closes it, and focus returns to the link.
 * What it shows is taken from the post's page.
 */
import { type MouseEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import type { PageContent } from '../../content/types.ts';
import { openEvent } from '../../lib/events.ts';
import { fetchPage } from '../../lib/fetch-page.ts';
import closing from '../../sections/closing-call.module.css';
import meta from '../../sections/post-meta.module.css';
import { Icon } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './post-window.module.css';

type Words = PageContent['blog']['modal'];

/** `host` is the island's element, in the browser. */
export function PostWindow({ words, host }: { words: Words; host?: HTMLElement }) {
  const [link, setLink] = useState<HTMLAnchorElement>();
  useEffect(() => {
    const onOpen = (event: Event) => setLink((event as CustomEvent<HTMLAnchorElement>).detail);
    host?.addEventListener(openEvent, onOpen);
    return () => host?.removeEventListener(openEvent, onOpen);
  }, [host]);
  return link && <PostDialog link={link} words={words} onClose={() => setLink(undefined)} />;
}

type PostDialogProps = { link: HTMLAnchorElement; words: Words; onClose: () => void };

function PostDialog({ link, words, onClose }: PostDialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const post = usePost(link);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      link.focus({ preventScroll: true });
    };
  }, [link]);

  const close = () => dialog.current?.close();
  // A selection that begins in the text and ends outside is a click on the dialog, too.
  const startedInside = useRef(false);
  const onPress = (event: PointerEvent) => {
    startedInside.current = event.target !== dialog.current;
  };
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current && !startedInside.current) close();
    startedInside.current = false;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is on the backdrop; Escape closes the dialog.
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby="post-window-title"
      onClose={onClose}
      onPointerDown={onPress}
      onClick={onBackdrop}
    >
      <article>
        <button type="button" className={styles.close} onClick={close} aria-label={words.close}>
          <Icon name="close" size={22} />
        </button>
        {post && <PostPart className={styles.picture} html={post.picture} />}
        <div className={styles.words}>
          {post && <PostPart as="ul" className={meta.categories} html={post.categories} />}
          <h2 id="post-window-title" className={styles.title}>
            {link.textContent}
          </h2>
          {post ? (
            <>
              <PostPart as="p" className={meta.byline} html={post.byline} />
              <PostPart as="p" className={styles.excerpt} html={post.excerpt} />
              <PostPart className={prose.prose} html={post.body} data-prose />
            </>
          ) : (
            <p role="status">{words.loading}</p>
          )}
          <a className={styles.page} href={link.pathname}>
            {words.open_page}
            <Icon name="arrow-right" size={18} />
          </a>
          {post && <PostPart className={closing.panel} html={post.call} />}
        </div>
      </article>
    </dialog>
  );
}

type PostPartProps = { as?: 'div' | 'p' | 'ul'; html: string; className?: string | undefined };

/** A part of the post's page. */
const PostPart = ({ as: Element = 'div', html, ...rest }: PostPartProps) => (
  // biome-ignore lint/security/noDangerouslySetInnerHtml: taken from a page of ours, made from content/.
  <Element {...rest} dangerouslySetInnerHTML={{ __html: html }} />
);

/** If the post's page cannot be fetched, the browser goes there. */
function usePost(link: HTMLAnchorElement): PostParts | undefined {
  const [post, setPost] = useState<PostParts>();
  useEffect(() => {
    let isMounted = true;
    fetchPage(link.pathname).then(
      ({ main }) => isMounted && setPost(postParts(main)),
      () => isMounted && location.assign(link.href),
    );
    return () => {
      isMounted = false;
    };
  }, [link]);
  return post;
}

/** The parts of a post that its window shows, found on the post's page by their `data-part`. */
const parts = ['picture', 'categories', 'byline', 'excerpt', 'body', 'call'] as const;

type PostParts = Record<(typeof parts)[number], string>;

function postParts(main: ParentNode): PostParts {
  const inside = parts.map((name) => {
    const part = main.querySelector(`[data-part="${name}"]`);
    if (!part) throw new Error(`the post has no ${name}`);
    return [name, part.innerHTML];
  });
  return Object.fromEntries(inside);
}
