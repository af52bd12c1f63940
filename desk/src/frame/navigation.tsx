import { Link, useLocation } from 'wouter';
import { useOwner } from '../api/owner.ts';
import { useInbox, useSummary } from '../api/queries.ts';
import type { Presence } from '../api/types.ts';
import { firstName } from '../lib/words.ts';
import { isCurrent, type NavigationItem, navigation, paths } from '../routes.ts';
import { Icon, Mark } from '../ui/icon.tsx';
import prose from '../ui/prose.module.css';
import styles from './navigation.module.css';

/** What needs somebody, beside the page where it is dealt with. */
function useBadges(): Record<string, { count: number; word: string }> {
  const late = useInbox('waiting').data?.pages[0]?.counts.late ?? 0;
  const faults = useSummary().data?.faults ?? 0;
  return {
    [paths.inbox]: { count: late, word: 'late' },
    [paths.health]: { count: faults, word: faults === 1 ? 'fault' : 'faults' },
  };
}

function Items({ badge }: { badge: (count: number, word: string) => React.ReactNode }) {
  const [location] = useLocation();
  const badges = useBadges();
  const item = (each: NavigationItem) => {
    const { count = 0, word = '' } = badges[each.path] ?? {};
    return (
      <Link
        key={each.path}
        href={each.path}
        aria-label={each.label}
        aria-description={count > 0 ? `${count} ${word}` : undefined}
        aria-current={isCurrent(each, location) ? 'page' : undefined}
        aria-keyshortcuts={String(each.key)}
      >
        <Icon name={each.icon} />
        <span>{each.label}</span>
        {count > 0 && badge(count, word)}
      </Link>
    );
  };
  return navigation.map(item);
}

export function Rail() {
  const { site } = useOwner();
  return (
    <header className={styles.rail}>
      <Link className={styles.house} href={paths.inbox} aria-label={`${site.name}, your desk`}>
        <Mark />
        <span>{site.name}</span>
      </Link>
      <nav aria-label="Desk">
        <Items
          badge={(count, word) => (
            <span className={styles.badge} data-word={word}>
              {count} {word}
            </span>
          )}
        />
      </nav>
      <div className={styles.foot}>
        <PromiseKept />
        <People />
      </div>
    </header>
  );
}

/** The phone's navigation, under the thumb. */
export const TabBar = () => (
  <nav className={styles.tabs} aria-label="Desk">
    <Items
      badge={(count, word) => (
        <span className={styles.dot} data-word={word}>
          {count}
        </span>
      )}
    />
  </nav>
);

function PromiseKept() {
  const promise = useSummary().data?.promise;
  const { promise_hours } = useOwner();
  if (!promise || promise.of === 0) return null;
  const share = Math.floor((promise.kept / promise.of) * 100);
  return (
    <div className={styles.kept}>
      <p>
        <span>Promise kept</span>
        {promise.of >= 10 && <b>{share} %</b>}
      </p>
      <p className={prose.low}>
        {promise.kept} of {promise.of} answered within {promise_hours} h, last {promise.days} days
      </p>
    </div>
  );
}

function People() {
  const people = useInbox('waiting').data?.pages[0]?.people ?? [];
  return people.map((person) => (
    <p key={`${person.name} ${person.this_browser}`} className={styles.person}>
      <Face person={person} />
      <span className={styles.about}>
        <span className={person.this_browser ? styles.self : undefined}>{person.name}</span>{' '}
        <span className={prose.low}>{doing(person)}</span>
      </span>
    </p>
  ));
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
