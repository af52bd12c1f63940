import { Link, useLocation } from 'wouter';
import { useOwner } from '../api/owner.ts';
import { useSummary, useWaiting } from '../api/queries.ts';
import type { Presence } from '../api/types.ts';
import { firstName } from '../lib/words.ts';
import { isCurrent, navigation, paths } from '../routes.ts';
import { Icon, Mark } from '../ui/icon.tsx';
import prose from '../ui/prose.module.css';
import styles from './frame.module.css';

/** A rail on the left; on a phone, tabs under the thumb. */
export function Navigation() {
  const [location] = useLocation();
  const { site, promise_hours } = useOwner();
  const inbox = useWaiting();
  const { promise, faults = 0 } = useSummary().data ?? {};
  /** What needs somebody, beside the page where it is dealt with. */
  const needs: Record<string, { count: number; word: string }> = {
    [paths.inbox]: { count: inbox?.counts.late ?? 0, word: 'late' },
    [paths.health]: { count: faults, word: faults === 1 ? 'fault' : 'faults' },
  };
  return (
    <header className={styles.rail}>
      <Link className={styles.house} href={paths.inbox} aria-label={`${site.name}, your desk`}>
        <Mark />
        <span>{site.name}</span>
      </Link>
      <nav aria-label="Desk">
        {navigation.map((item) => {
          const { count = 0, word = '' } = needs[item.path] ?? {};
          return (
            <Link
              key={item.path}
              href={item.path}
              aria-label={item.label}
              aria-description={count > 0 ? `${count} ${word}` : undefined}
              aria-current={isCurrent(item, location) ? 'page' : undefined}
              aria-keyshortcuts={String(item.key)}
            >
              <Icon name={item.icon} />
              <span>{item.label}</span>
              {count > 0 && (
                <b className={styles.badge} data-word={word}>
                  {count} <i>{word}</i>
                </b>
              )}
            </Link>
          );
        })}
      </nav>
      <div className={styles.about}>
        {promise && promise.of > 0 && (
          <div className={styles.kept}>
            <p>
              <span>Promise kept</span>
              {promise.of >= 10 && <b>{Math.floor((promise.kept / promise.of) * 100)} %</b>}
            </p>
            <p className={prose.low}>
              {promise.kept} of {promise.of} answered within {promise_hours} h, last {promise.days}{' '}
              days
            </p>
          </div>
        )}
        {inbox?.people.map((person) => (
          <p key={`${person.name} ${person.this_browser}`} className={styles.person}>
            <Face person={person} />
            <span>
              <span className={person.this_browser ? styles.self : undefined}>{person.name}</span>{' '}
              <span className={prose.low}>{doing(person)}</span>
            </span>
          </p>
        ))}
      </div>
    </header>
  );
}

export const Face = ({ person }: { person: { name: string; this_browser: boolean } }) => (
  <span className={styles.face} data-self={person.this_browser} aria-hidden="true">
    {person.name.charAt(0).toUpperCase()}
  </span>
);

function doing({ this_browser, writing_to }: Presence): string {
  if (this_browser) return 'this browser';
  return writing_to ? `writing to ${firstName(writing_to.name)}` : 'here now';
}
