/** Icons, buttons, fields and dialogs. */
import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { notify } from '../actions/toasts.ts';
import { useKeys } from '../lib/page.ts';
import { capital } from '../lib/words.ts';
import styles from './ui.module.css';

/** One stroke, 24 by 24, drawn by hand. */
const icons = {
  inbox:
    'M3.5 13.5l2.4-7a2.5 2.5 0 0 1 2.4-1.7h7.4a2.5 2.5 0 0 1 2.4 1.7l2.4 7v3.7a2.5 2.5 0 0 1-2.5 2.5H6a2.5 2.5 0 0 1-2.5-2.5zM3.5 13.5h4.7l1.3 2.5h5l1.3-2.5h4.7',
  mail: 'M6 5.5h12a3 3 0 0 1 3 3v7a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3v-7a3 3 0 0 1 3-3zM4 7.5l6.2 4.9a2.9 2.9 0 0 0 3.6 0L20 7.5',
  chart: 'M5 20v-6M12 20V4.5M19 20V10',
  site: 'M6 4.5h12a2.5 2.5 0 0 1 2.5 2.5v10a2.5 2.5 0 0 1-2.5 2.5H6A2.5 2.5 0 0 1 3.5 17V7A2.5 2.5 0 0 1 6 4.5zM3.5 9.5h17M7 7h.01M10 7h.01',
  health: 'M3 12.5h4l2.5-6.5 5 12 2.5-5.5h4',
  search: 'M10.8 4a6.8 6.8 0 1 1 0 13.6 6.8 6.8 0 0 1 0-13.6zM16 16l4.2 4.2',
  reply: 'M9 6l-5 5 5 5M4 11h9.5a6.5 6.5 0 0 1 6.5 6.5V19',
  check: 'M4.5 12.5l5 5L19.5 7',
  calendar:
    'M6.5 5.5h11a2.5 2.5 0 0 1 2.5 2.5v9.5a2.5 2.5 0 0 1-2.5 2.5h-11A2.5 2.5 0 0 1 4 17.5V8a2.5 2.5 0 0 1 2.5-2.5zM4 10.5h16M8.5 3.5v4M15.5 3.5v4',
  archive: 'M4.5 5h15v4h-15zM6 9v8.5A1.5 1.5 0 0 0 7.5 19h9a1.5 1.5 0 0 0 1.5-1.5V9M10 13h4',
  stop: 'M8.7 3.8h6.6l4.9 4.9v6.6l-4.9 4.9H8.7l-4.9-4.9V8.7zM12 8v4.7M12 16h.01',
  pen: 'M5 19l.8-3.7L16 5.1a2 2 0 0 1 2.9 2.9L8.7 18.2zM13.5 7.5l3 3',
  more: 'M5.5 12h.01M12 12h.01M18.5 12h.01',
  lock: 'M7 10.5h10a2 2 0 0 1 2 2V18a2 2 0 0 1-2 2H7a2 2 0 0 1-2-2v-5.5a2 2 0 0 1 2-2zM8 10.5V8a4 4 0 0 1 8 0v2.5',
  alert:
    'M10.3 4.7L3.3 17a1.95 1.95 0 0 0 1.7 2.9h14a1.95 1.95 0 0 0 1.7-2.9L13.7 4.7a1.95 1.95 0 0 0-3.4 0zM12 9.25v4.25M12 16.5h.01',
  clock: 'M12 3.25a8.75 8.75 0 1 1 0 17.5 8.75 8.75 0 0 1 0-17.5zM12 7.25V12l3.25 2',
  copy: 'M10 8.5h8A1.5 1.5 0 0 1 19.5 10v8a1.5 1.5 0 0 1-1.5 1.5h-8A1.5 1.5 0 0 1 8.5 18v-8A1.5 1.5 0 0 1 10 8.5zM5.5 15.5A1 1 0 0 1 4.5 14.5V6A1.5 1.5 0 0 1 6 4.5h8.5a1 1 0 0 1 1 1',
  left: 'M15 5.5L8.5 12l6.5 6.5',
  right: 'M9 5.5l6.5 6.5L9 18.5',
  up: 'M5.5 15L12 8.5l6.5 6.5',
  down: 'M5.5 9l6.5 6.5L18.5 9',
  download: 'M12 4.5v10M7.5 10.5L12 15l4.5-4.5M5 19.5h14',
  phone: 'M9 3.5h6a2 2 0 0 1 2 2v13a2 2 0 0 1-2 2H9a2 2 0 0 1-2-2v-13a2 2 0 0 1 2-2zM11 17.5h2',
  wide: 'M5.5 5h13A1.5 1.5 0 0 1 20 6.5v8a1.5 1.5 0 0 1-1.5 1.5h-13A1.5 1.5 0 0 1 4 14.5v-8A1.5 1.5 0 0 1 5.5 5zM9 19.5h6',
  sun: 'M12 8.2a3.8 3.8 0 1 1 0 7.6 3.8 3.8 0 0 1 0-7.6zM12 3v1.5M12 19.5V21M3 12h1.5M19.5 12H21M5.6 5.6l1.1 1.1M17.3 17.3l1.1 1.1M5.6 18.4l1.1-1.1M17.3 6.7l1.1-1.1',
  moon: 'M19.5 14.2A8 8 0 0 1 9.8 4.5a8 8 0 1 0 9.7 9.7z',
  cross: 'M6 6l12 12M18 6L6 18',
} as const;

export type IconName = keyof typeof icons;

/** Hidden from screen readers: a word stands beside it, or the control has a name. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true" data-icon={name}>
    <path d={icons[name]} />
  </svg>
);

export const Mark = () => (
  <svg className={styles.mark} viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="10" />
    <path d="M7.5 22.5V11.4l8.5 7.2 8.5-7.2v11.1" />
    <circle cx="16" cy="8.6" r="2.2" />
  </svg>
);

/** `present` marks what is here now. */
export const Chip = (props: { label: string; icon?: IconName; present?: boolean }) => (
  <span className={styles.chip} data-present={props.present}>
    {props.icon && <Icon name={props.icon} />}
    <span>{props.label}</span>
  </span>
);

/** A person's initial; the name stands beside it. */
export const Face = ({ person }: { person: { name: string; this_browser: boolean } }) => (
  <span className={styles.face} data-self={person.this_browser} aria-hidden="true">
    {person.name.charAt(0).toUpperCase()}
  </span>
);

interface ButtonLook {
  /** Without one, only the icon is seen. */
  label?: string;
  /** What only screen readers need to hear after the label: "Sign out" Ben. */
  about?: string;
  /** `primary` is solid, one on each view: the next thing to do. */
  variant?: 'plain' | 'primary' | 'quiet' | 'text';
  small?: boolean;
  icon?: IconName | undefined;
  /** The keys that do the same, such as `Ctrl Enter`. */
  keys?: string;
  /** The shell command that does the same; the foot line shows it on hover and focus. */
  command?: string | undefined;
}

const elementProps = (props: ButtonLook) => {
  const { label, about, variant = 'plain', small, icon, keys, command, ...rest } = props;
  return {
    ...rest,
    className: `${styles[variant]} ${small ? styles.compact : ''}`,
    'data-command': command,
    'aria-keyshortcuts': keys?.replace(' ', '+').replace('Ctrl', 'Control'),
    children: (
      <>
        {icon && <Icon name={icon} />}
        {label}
        {about && <span className={styles.hidden}> {about}</span>}
        {keys && <Keys keys={keys} />}
      </>
    ),
  };
};

/** Key hints for the eye; screen readers get `aria-keyshortcuts`. */
export const Keys = ({ keys }: { keys: string }) => (
  <span className={styles.keys} aria-hidden="true">
    {keys.split(' ').map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);

export type ButtonProps = ButtonLook &
  Omit<ComponentProps<'button'>, 'children' | 'className' | 'onClick'> & {
    onClick?: () => unknown;
    locked?: boolean;
  };

/** A press does nothing while the button is locked, or while the request of another press is on its way. */
export function Button({ onClick, locked, ...props }: ButtonProps) {
  const isBusy = useRef(false);
  const press = async () => {
    if (isBusy.current || locked) return;
    isBusy.current = true;
    try {
      await onClick?.();
    } finally {
      isBusy.current = false;
    }
  };
  return <button type="button" aria-disabled={locked} {...elementProps(props)} onClick={press} />;
}

type LinkProps = ButtonLook &
  Omit<ComponentProps<'a'>, 'children' | 'className' | 'href'> & { href: string };

/** A link that looks like a button. */
export const ButtonLink = (props: LinkProps) => <a {...elementProps(props)} href={props.href} />;

interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  options: readonly T[];
  /** What stands for a value: the value itself, if there is nothing else. */
  words?: (value: T) => string;
  icons?: Record<T, IconName>;
  iconsOnly?: boolean;
  onChange: (value: T) => void;
}

export const Segmented = <T extends string>({ words = capital, ...props }: SegmentedProps<T>) => (
  <fieldset className={styles.segments}>
    <legend className={styles.hidden}>{props.label}</legend>
    {props.options.map((value) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === props.value}
        onClick={() => props.onChange(value)}
      >
        {props.icons && <Icon name={props.icons[value]} />}
        <span className={props.iconsOnly ? styles.hidden : undefined}>{words(value)}</span>
      </button>
    ))}
  </fieldset>
);

export async function copyToClipboard(text: string, message: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(message);
  } catch {
    notify('Couldn’t copy it: the browser doesn’t allow that.');
  }
}

export const CopyButton = ({ command }: { command: string }) => (
  <Button
    about={`Copy the command ${command}`}
    variant="quiet"
    small
    icon="copy"
    onClick={() => copyToClipboard(command, 'The command is copied.')}
  />
);

export const Command = ({ command }: { command: string }) => (
  <span className={styles.command}>
    <code>{command}</code>
    <CopyButton command={command} />
  </span>
);

export const Field = ({ label, ...input }: ComponentProps<'input'> & { label: string }) => (
  <label className={styles.labelled}>
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
  const change = (text: string) => {
    setTyped(text);
    search(text.trim());
  };
  const leave = () => {
    change('');
    field.current?.blur();
  };
  useKeys({ '/': () => field.current?.focus(), escape: leave });
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
        onChange={({ target }) => change(target.value)}
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

interface DialogProps extends Pick<ComponentProps<typeof Button>, 'variant' | 'keys' | 'command'> {
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
export function Dialog({
  title,
  onClose,
  children,
  onSubmit,
  submit,
  cancel,
  ...button
}: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const pressed = useRef<EventTarget>(null);
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
      onPointerDown={({ target }) => {
        pressed.current = target;
      }}
      // A selection that begins in a field and ends outside is a click on the dialog, too.
      onClick={({ target }) => target === ref.current && pressed.current === target && onClose()}
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
        <h2 id={heading} className={styles.title}>
          {title}
        </h2>
        {children}
        <p className={styles.row}>
          {submit && <Button type="submit" label={submit} {...button} />}
          <Button label={cancel ?? 'Back'} onClick={onClose} />
        </p>
      </form>
    </dialog>,
    document.body,
  );
}
