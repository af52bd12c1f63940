import { type Ref, useEffect, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Field } from '../../ui/field.tsx';
import { Keys } from '../../ui/keys.tsx';
import styles from './search-field.module.css';

/** A pause this long, in milliseconds, is the end of a word. */
const pause = 120;

interface Props {
  q: string;
  ref: Ref<HTMLInputElement>;
  toList: () => void;
}

/** Searches as one types; the address keeps what is looked for. */
export function SearchField({ q, ref, toList }: Props) {
  const [, setParams] = useSearchParams();
  const [typed, setTyped] = useState(q);
  useEffect(() => {
    if (typed.trim() === q) return;
    const timer = setTimeout(() => {
      setParams(
        (params) => {
          if (typed.trim()) params.set('q', typed.trim());
          else params.delete('q');
          return params;
        },
        { replace: true },
      );
    }, pause);
    return () => clearTimeout(timer);
  }, [typed, q, setParams]);
  return (
    <div className={styles.search}>
      <Field
        ref={ref}
        label="Search"
        quietLabel
        icon="search"
        type="search"
        placeholder="Name, address, message or note"
        aria-keyshortcuts="/"
        autoComplete="off"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          toList();
        }}
        after={<Keys keys={['/']} />}
      />
    </div>
  );
}
