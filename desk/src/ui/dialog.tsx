import { type ComponentProps, type ReactNode, useEffect, useId, useRef } from 'react';
import { createPortal } from 'react-dom';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import prose from './prose.module.css';

interface Props extends Pick<ComponentProps<typeof Button>, 'variant' | 'keys' | 'command'> {
  title: string;
  onClose: () => void;
  children: ReactNode;
  /** Without one there is nothing to submit. */
  onSubmit?: (form: FormData) => unknown;
  /** The labels of the submit button, which has the other properties, and of the one that closes. */
  submit?: string;
  cancel?: string;
}

/** A modal dialog; Escape and a click outside close it, Ctrl Enter submits it. */
export function Dialog({ title, onClose, children, onSubmit, submit, cancel, ...button }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement as HTMLElement | null;
    ref.current?.showModal();
    return () => opener?.focus();
  }, []);
  // In the body, as it must not look like what it was opened from.
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same natively.
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <form
        className={styles.form}
        onSubmit={(event) => {
          event.preventDefault();
          onSubmit?.(new FormData(event.currentTarget));
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
            event.currentTarget.requestSubmit();
        }}
      >
        <h2 id={heading} className={prose.title}>
          {title}
        </h2>
        {children}
        <p className={prose.row}>
          {submit && <Button type="submit" label={submit} {...button} />}
          <Button label={cancel ?? 'Back'} onClick={onClose} />
        </p>
      </form>
    </dialog>,
    document.body,
  );
}
