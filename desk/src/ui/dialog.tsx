import { type ReactNode, useEffect, useId, useRef } from 'react';
import styles from './dialog.module.css';
import prose from './prose.module.css';

interface Props {
  title: string;
  onClose: () => void;
  children: ReactNode;
}

/** Above the page, which rests; Escape and a press beside it close it. */
export function Dialog({ title, onClose, children }: Props) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const opener = document.activeElement;
    ref.current?.showModal();
    return () => {
      if (opener instanceof HTMLElement) opener.focus();
    };
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same, by itself.
    <dialog
      ref={ref}
      className={styles.dialog}
      aria-labelledby={heading}
      onClose={onClose}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div className={styles.box}>
        <h2 id={heading} className={prose.title}>
          {title}
        </h2>
        {children}
      </div>
    </dialog>
  );
}
