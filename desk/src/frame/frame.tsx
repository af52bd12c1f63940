import { type ReactNode, useEffect, useRef } from 'react';
import { Link, useLocation } from 'wouter';
import { dismiss, toasts, type Undoable, undoLatest, undoWindow } from '../actions/toasts.ts';
import { asProblem } from '../api/client.ts';
import { useOwner } from '../api/owner.ts';
import { useInbox, useSummary, useWaiting } from '../api/queries.ts';
import type { Presence } from '../api/types.ts';
import { serverNow, useNow } from '../lib/server-time.ts';
import { useKeys } from '../lib/keyboard.ts';
import { clockTime } from '../lib/time.ts';
import { firstName } from '../lib/words.ts';
import { navigation, paths } from '../routes.ts';
import { Keys } from '../ui/button.tsx';
import { Face, Icon, Mark } from '../ui/icon.tsx';
import prose from '../ui/prose.module.css';
import { FootLine } from './foot-line.tsx';
import styles from './frame.module.css';

/** The frame of every page: navigation, sheet, foot line, toasts. */
export function Frame({ children }: { children: ReactNode }) {
  const [location, go] = useLocation();
  const sheet = useRef<HTMLElement>(null);
  const pages = navigation.map(({ path }, index) => [index + 1, () => go(path)]);
  useKeys({ z: undoLatest, ...Object.fromEntries(pages) });

  const shown = useRef(location);
  // A new page starts at its top, with the focus on its content.
  useEffect(() => {
    if (shown.current === location) return;
    shown.current = location;
    // In the next frame: measuring now would lay the page out twice.
    const frame = requestAnimationFrame(() => {
      const main = sheet.current;
      if (!main || main.contains(document.activeElement)) return;
      main.scrollTop = 0;
      window.scrollTo(0, 0);
      main.focus({ preventScroll: true });
    });
    return () => cancelAnimationFrame(frame);
  }, [location]);

  return (
    <div className={styles.frame} data-lead={location.startsWith('/leads/')}>
      <button type="button" className={styles.skip} onClick={() => sheet.current?.focus()}>
        Skip to the content
      </button>
      <Navigation />
      <main id="sheet" className={styles.sheet} ref={sheet} tabIndex={-1}>
        <Unanswered />
        {children}
      </main>
      <FootLine />
      <Toasts />
    </div>
  );
}

/** While the server does not answer, the page keeps what it shows; this says how old that is. */
function Unanswered() {
  const { error, dataUpdatedAt } = useInbox('waiting');
  const { zone } = useOwner().site;
  const heard = dataUpdatedAt === 0 ? serverNow() : dataUpdatedAt + serverNow() - Date.now();
  return (
    <p role="status" className={error ? styles.unanswered : undefined}>
      {error &&
        `${asProblem(error).message} You see what the server said at ${clockTime(heard, zone)}. The desk tries again every ten seconds.`}
    </p>
  );
}

/** A lead belongs to the inbox. */
const isCurrent = (path: string, location: string) =>
  path === paths.inbox
    ? location === path || location.startsWith('/leads/')
    : location.startsWith(path);

/** A rail on the left; on a phone, tabs under the thumb. */
function Navigation() {
  const [location] = useLocation();
  const { site, promise_hours } = useOwner();
  const inbox = useWaiting();
  const { promise, faults = 0 } = useSummary().data ?? {};
  /** What needs attention, shown beside the page that deals with it. */
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
        {navigation.map(({ label, path, icon }, index) => {
          const { count = 0, word = '' } = needs[path] ?? {};
          return (
            <Link
              key={path}
              href={path}
              aria-label={label}
              aria-description={count > 0 ? `${count} ${word}` : undefined}
              aria-current={isCurrent(path, location) ? 'page' : undefined}
              aria-keyshortcuts={String(index + 1)}
            >
              <Icon name={icon} />
              <span>{label}</span>
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

function doing({ this_browser, writing_to }: Presence): string {
  if (this_browser) return 'this browser';
  return writing_to ? `writing to ${firstName(writing_to.name)}` : 'here now';
}

/** On the foot line, where they cover no text. Screen readers hear the sentence once, and no seconds. */
function Toasts() {
  const { undoable, notice } = toasts.use();
  const latest = undoable.at(-1);
  const tryAgain = () => {
    dismiss();
    notice?.tryAgain?.();
  };
  return (
    <div className={styles.toasts}>
      <div role={notice?.isFault ? 'alert' : 'status'}>
        {notice && (
          <div className={styles.toast}>
            {notice.isFault && <Icon name="alert" />}
            <span>{notice.text}</span>
            {notice.tryAgain && (
              <button type="button" onClick={tryAgain}>
                Try again
              </button>
            )}
            <button type="button" onClick={dismiss}>
              <Icon name="cross" />
              <span className={prose.hidden}>Dismiss</span>
            </button>
          </div>
        )}
      </div>
      <div role="status">{latest && <Reversible key={latest.until} undoable={latest} />}</div>
    </div>
  );
}

/** The ring shows whole seconds: a moving one would distract. */
function Reversible({ undoable }: { undoable: Undoable }) {
  const seconds = Math.max(0, Math.ceil((undoable.until - useNow(250)) / 1000));
  const ring = `${seconds} ${undoWindow}`;
  return (
    <div className={styles.toast}>
      <span>{undoable.said}</span>
      <span className={styles.count} aria-hidden="true">
        <svg viewBox="0 0 24 24" role="presentation">
          <circle cx="12" cy="12" r="10.5" />
          <circle cx="12" cy="12" r="10.5" pathLength={undoWindow / 1000} strokeDasharray={ring} />
        </svg>
        {seconds}
      </span>
      <button type="button" aria-keyshortcuts="z" onClick={undoLatest}>
        {undoable.verb}
        <Keys keys="z" />
      </button>
    </div>
  );
}
