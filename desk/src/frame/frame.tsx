import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { dismiss, toasts, type Undoable, undoLatest, undoWindow } from '../actions/toasts.ts';
import { asProblem, useInbox, useOwner, useSummary, useTimes, useWaiting } from '../api/queries.ts';
import type { Presence } from '../api/types.ts';
import { createStore, useIsShown, useKeys, useNow } from '../lib/page.ts';
import { ago, firstName } from '../lib/words.ts';
import { go, lastPlace, navigation, paths } from '../routes.ts';
import { leadActions, leadRow } from '../sections/lead.tsx';
import { CopyButton, Dialog, Face, Icon, Keys, Mark } from '../ui/controls.tsx';
import ui from '../ui/ui.module.css';
import styles from './frame.module.css';

/** Surrounds every page: navigation, the page itself (the sheet), foot line, toasts. */
export function Frame({ children }: { children: ReactNode }) {
  const [location] = useLocation();
  const sheet = useRef<HTMLElement>(null);
  const pages = navigation.map(({ path }, index) => [index + 1, () => go(path)]);
  useKeys({ z: undoLatest, ...Object.fromEntries(pages) });

  const previousLocation = useRef(location);
  // A new page starts at its top, with the focus on its content.
  useEffect(() => {
    if (previousLocation.current === location) return;
    previousLocation.current = location;
    // In the next frame: measuring now would lay the page out twice.
    const frame = requestAnimationFrame(() => {
      const main = sheet.current;
      const focused = document.activeElement;
      if (!main || (main.contains(focused) && focused?.checkVisibility())) return;
      main.scrollTop = 0;
      window.scrollTo(0, 0);
      // It gets the focus after the paint.
      if (location === paths.inbox) leadRow(lastPlace.lead)?.scrollIntoView({ block: 'nearest' });
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
        <ConnectionProblem />
        {children}
      </main>
      <FootLine />
      <Toasts />
    </div>
  );
}

/** While the server cannot be reached, the page stays as it is; this tells the owner how old it is. */
const ConnectionProblem = memo(() => {
  const { error, data } = useInbox('waiting');
  const when = useTimes();
  const seen = data?.pages[0] && `This page is as of ${when(data.pages[0].now).clock}. `;
  return (
    <p role="status" className={error ? styles.connectionProblem : undefined}>
      {error && `${asProblem(error).message} ${seen ?? ''}Trying again every ten seconds.`}
    </p>
  );
});

/** A lead belongs to the inbox. */
const isCurrent = (path: string, location: string) =>
  path === paths.inbox ? /^\/(leads\/|$)/.test(location) : location.startsWith(path);

/** A column on the left; on a phone, tabs at the bottom. */
function Navigation() {
  const [location] = useLocation();
  const { site, promise_hours } = useOwner();
  const inbox = useWaiting();
  const { promises, days, faults = 0 } = useSummary().data ?? {};
  const badges: Record<string, { count: number; word: string }> = {
    [paths.inbox]: { count: inbox?.counts.late ?? 0, word: 'late' },
    [paths.health]: { count: faults, word: faults === 1 ? 'fault' : 'faults' },
  };
  return (
    <header className={styles.rail}>
      <a className={styles.house} href={paths.inbox} aria-label={`${site.name}, your desk`}>
        <Mark />
        <span>{site.name}</span>
      </a>
      <nav aria-label="Desk">
        {navigation.map(({ label, path, icon }, index) => {
          const { count = 0, word = '' } = badges[path] ?? {};
          return (
            <a
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
            </a>
          );
        })}
      </nav>
      <div className={styles.about}>
        {promises && promises.of > 0 && (
          <div className={styles.kept}>
            <p>
              <span>Promise kept</span>
              {promises.of >= 10 && <b>{Math.floor((promises.in_time / promises.of) * 100)}%</b>}
            </p>
            <p className={ui.low}>
              {promises.in_time} of {promises.of} answered within {promise_hours} h, last {days}{' '}
              days
            </p>
          </div>
        )}
        {inbox?.people.map((person) => (
          <p key={person.id} className={styles.person}>
            <Face person={person} />
            <span>
              <span className={person.this_browser ? styles.self : undefined}>{person.name}</span>{' '}
              <span className={ui.low}>{activity(person)}</span>
            </span>
          </p>
        ))}
      </div>
    </header>
  );
}

function activity({ this_browser, writing_to }: Presence): string {
  if (this_browser) return 'this browser';
  return writing_to ? `writing to ${firstName(writing_to.name)}` : 'here now';
}

/** Shows the command of the control under the pointer or in focus, or else that of the page. */
const FootLine = memo(() => {
  const page = commandOfPage.use();
  const [pointed, setPointed] = useState<string>();
  const [showsKeys, setShowsKeys] = useState(false);
  const { dataUpdatedAt } = useInbox('waiting');
  // Renders again, so that "2 min ago" stays true.
  useNow();
  useKeys({ '?': () => setShowsKeys(true) });
  useEffect(() => {
    const unmounted = new AbortController();
    const point = ({ target }: Event) => {
      if (!(target instanceof Element) || target.closest('footer')) return;
      setPointed(target.closest<HTMLElement>('[data-command]')?.dataset.command);
    };
    for (const event of ['pointerover', 'focusin'])
      document.addEventListener(event, point, unmounted);
    return () => unmounted.abort();
  }, []);
  const command = pointed ?? page;
  const hideKeys = () => setShowsKeys(false);
  return (
    <>
      <footer className={styles.foot}>
        <span className={ui.hidden}>The command that does the same:</span>
        {command && <code>{command}</code>}
        {command && <CopyButton command={command} />}
        <span>{dataUpdatedAt > 0 && `Updated ${ago(dataUpdatedAt)}`}</span>
        <button type="button" aria-keyshortcuts="?" onClick={() => setShowsKeys(true)}>
          Keys <Keys keys="?" />
        </button>
      </footer>
      {showsKeys && (
        <Dialog title="Keys" onClose={hideKeys}>
          <dl className={styles.keyHelp}>
            {keyHelp.map(({ keys, label }) => (
              <div key={keys}>
                <dt>
                  {keys
                    .split(' ')
                    .map((key) => (key === 'to' ? ' to ' : <kbd key={key}>{key}</kbd>))}
                </dt>
                <dd>{label}</dd>
              </div>
            ))}
          </dl>
          <p className={ui.aside}>Letters do nothing while you write.</p>
        </Dialog>
      )}
    </>
  );
});

const keyHelp = [
  { keys: 'j', label: 'Next lead' },
  { keys: 'k', label: 'Previous lead' },
  { keys: 'Enter', label: 'Open' },
  { keys: 'Esc', label: 'Back to the list' },
  { keys: '/', label: 'Search' },
  { keys: 'z', label: 'Undo, for ten seconds' },
  { keys: '1 to 5', label: 'Inbox to Health' },
  { keys: '?', label: 'These keys' },
  ...Object.values(leadActions),
  { keys: 'Ctrl Enter', label: 'Send what you write' },
];

/** On the foot line, where they cover no text. Screen readers read the sentence once, without the seconds. */
const Toasts = memo(() => {
  const { undoable, notice } = toasts.use();
  const latest = undoable.at(-1);
  return (
    <div className={styles.toasts}>
      <div role={notice?.isFault ? 'alert' : 'status'}>
        {notice && (
          <div className={styles.toast}>
            {notice.isFault && <Icon name="alert" />}
            <span>{notice.text}</span>
            {notice.tryAgain && (
              <button type="button" onClick={notice.tryAgain}>
                Try again
              </button>
            )}
            <button type="button" onClick={dismiss}>
              <Icon name="cross" />
              <span className={ui.hidden}>Dismiss</span>
            </button>
          </div>
        )}
      </div>
      <div role="status">{latest && <UndoToast key={latest.until} undoable={latest} />}</div>
    </div>
  );
});

/** The ring shows whole seconds: continuous motion would distract. */
function UndoToast({ undoable }: { undoable: Undoable }) {
  const seconds = Math.max(0, Math.ceil((undoable.until - useNow(250)) / 1000));
  const ring = `${seconds} ${undoWindow}`;
  return (
    <div className={styles.toast}>
      <span>{undoable.message}</span>
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

export const commandOfPage = createStore('');

/** Sets the title of the tab, with the number of waiting leads, and the shell command that shows the same. */
export function usePage(title: string, command: string): void {
  const waiting = useWaiting()?.counts.waiting ?? 0;
  const { name } = useOwner().site;
  const isShown = useIsShown();
  useEffect(() => {
    if (!isShown) return;
    document.title = `${waiting > 0 ? `(${waiting}) ` : ''}${title} | ${name} desk`;
    commandOfPage.set(command);
  }, [title, command, waiting, name, isShown]);
}

interface HeadProps {
  title: string;
  command: string;
  summary?: string;
  note?: ReactNode;
  /** Links to the pages that belong together. */
  views?: { label: string; path: string }[];
  children?: ReactNode;
}

export function PageHead({ title, command, summary, note, views, children }: HeadProps) {
  usePage(title, command);
  return (
    <header className={styles.head}>
      <h1 className={ui.title}>{title}</h1>
      {views && (
        <nav className={ui.segments} aria-label={title}>
          {views.map(({ label, path }) => (
            <a
              key={path}
              href={path}
              aria-current={path === location.pathname ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
      )}
      {(summary || note) && (
        <p className={styles.summary}>{summary ?? <span className={ui.aside}>{note}</span>}</p>
      )}
      {children && <div className={styles.end}>{children}</div>}
    </header>
  );
}
