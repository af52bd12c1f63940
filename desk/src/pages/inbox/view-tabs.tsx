import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import type { Inbox, InboxView } from '../../api/types.ts';
import styles from './view-tabs.module.css';

const views: { view: InboxView; label: string; counted: boolean }[] = [
  { view: 'waiting', label: 'Waiting', counted: true },
  { view: 'answered', label: 'Answered', counted: true },
  { view: 'booked', label: 'Booked', counted: true },
  { view: 'closed', label: 'Closed', counted: true },
  { view: 'all', label: 'All', counted: false },
];
const apart: typeof views = [
  { view: 'held', label: 'Held', counted: true },
  { view: 'spam', label: 'Spam', counted: true },
];

const isPhone = matchMedia('(max-width: 56.24em)');

export function ViewTabs({ counts, view }: { counts: Inbox['counts']; view: InboxView }) {
  const tabs = useRef<HTMLElement>(null);
  // On a phone they are wider than the screen.
  // biome-ignore lint/correctness/useExhaustiveDependencies: each view has its own tab.
  useEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current]');
    if (tabs.current && current && isPhone.matches)
      tabs.current.scrollLeft =
        current.offsetLeft - (tabs.current.clientWidth - current.offsetWidth) / 2;
  }, [view]);
  const tab = (each: (typeof views)[number]) => (
    <Link
      key={each.view}
      href={each.view === 'waiting' ? '/' : `/?view=${each.view}`}
      aria-current={each.view === view ? 'true' : undefined}
    >
      {each.label}
      {each.counted && <span>{counts[each.view].toLocaleString('en')}</span>}
    </Link>
  );
  return (
    <nav ref={tabs} className={styles.tabs} aria-label="Which leads">
      {views.map(tab)}
      <i aria-hidden="true" />
      {apart.map(tab)}
    </nav>
  );
}
