import blog from 'content:blog';
import {
  type MouseEvent,
  type PointerEvent,
  startTransition,
  useEffect,
  useRef,
  useState,
} from 'react';
import type { PostSummary } from '../../content/types.ts';
import { hold } from '../../lib/hold.ts';
import { loadProse } from '../../lib/prose.ts';
import { ClosingPanel } from '../../sections/closing-call.tsx';
import { Byline, Categories } from '../../sections/post-meta.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Picture } from '../../ui/picture.tsx';
import { Prose } from '../../ui/prose.tsx';
import styles from './post-modal.module.css';

/**
 * A post over the list, in the browser's own dialog: focus stays inside,
 * Escape closes it and focus returns to the link it came from.
 */
export function PostModal({ post, onClose }: { post: PostSummary; onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const ready = useProse(post);

  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    const letGo = hold();
    return () => {
      letGo();
      element?.close();
    };
  }, []);

  const close = () => dialog.current?.close();
  // A selection that starts in the text and ends outside is a click on the dialog too.
  const startedInside = useRef(false);
  const onPress = (event: PointerEvent) => {
    startedInside.current = event.target !== dialog.current;
  };
  const onBackdrop = (event: MouseEvent) => {
    if (event.target === dialog.current && !startedInside.current) close();
    startedInside.current = false;
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the click is the backdrop's; Escape is the dialog's own.
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby="post-modal-title"
      onClose={onClose}
      onPointerDown={onPress}
      onClick={onBackdrop}
    >
      <article className={styles.sheet}>
        <button
          type="button"
          className={styles.close}
          onClick={close}
          aria-label={blog.modal.close}
        >
          <Icon name="close" size={22} />
        </button>
        <Picture picture={post.picture} eager className={styles.picture} />
        <div className={styles.words}>
          <Categories post={post} />
          <h2 id="post-modal-title" className={styles.title}>
            {post.title}
          </h2>
          <Byline post={post} />
          <p className={styles.excerpt}>{post.excerpt}</p>
          {ready ? <Prose text={post.body} /> : <p role="status">…</p>}
          <a className={styles.page} href={`/blog/${post.slug}`}>
            {blog.modal.open_page}
            <Icon name="arrow-right" size={18} />
          </a>
          <ClosingPanel closing={post.cta} level="h3" />
        </div>
      </article>
    </dialog>
  );
}

/** Whether the post's text is here. If it cannot be fetched, its page can still be opened. */
function useProse(post: PostSummary): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    let current = true;
    loadProse(post.body)
      .catch(() => location.assign(`/blog/${post.slug}`))
      .then(() => current && startTransition(() => setReady(true)));
    return () => {
      current = false;
    };
  }, [post]);
  return ready;
}
