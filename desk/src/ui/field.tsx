import { type ComponentProps, useRef, useState } from 'react';
import { useKeys } from '../lib/keyboard.ts';
import { Keys } from './button.tsx';
import styles from './field.module.css';
import { Icon } from './icon.tsx';

export const Field = ({ label, ...input }: ComponentProps<'input'> & { label: string }) => (
  <label className={styles.label}>
    <span>{label}</span>
    <span className={styles.field}>
      <input {...input} />
    </span>
  </label>
);

interface SearchProps {
  q: string;
  search: (q: string) => void;
  placeholder: string;
  /** Enter and the down arrow call it. */
  toResults?: () => void;
}

export function SearchField({ q, search, placeholder, toResults }: SearchProps) {
  const [typed, setTyped] = useState(q);
  const field = useRef<HTMLInputElement>(null);
  useKeys({ '/': () => field.current?.focus(), escape: () => field.current?.blur() });
  return (
    <label className={`${styles.field} ${styles.search}`}>
      <Icon name="search" />
      <input
        ref={field}
        type="search"
        aria-label="Search"
        placeholder={placeholder}
        aria-keyshortcuts="/"
        autoComplete="off"
        // The typed text keeps its spaces, unless the search was changed elsewhere.
        value={typed.trim() === q ? typed : q}
        onChange={({ target }) => {
          setTyped(target.value);
          search(target.value.trim());
        }}
        onKeyDown={(event) => {
          if (!toResults || (event.key !== 'Enter' && event.key !== 'ArrowDown')) return;
          event.preventDefault();
          toResults();
        }}
      />
      <Keys keys="/" />
    </label>
  );
}
