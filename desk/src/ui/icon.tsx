/** The desk's icons: one stroke, 24 by 24, drawn by hand in one file. */
import styles from './marks.module.css';

const drawings = {
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

export type IconName = keyof typeof drawings;

/** Hidden from screen readers: a word stands beside it, or the control has a name. */
export const Icon = ({ name }: { name: IconName }) => (
  <svg className={styles.icon} viewBox="0 0 24 24" aria-hidden="true" data-icon={name}>
    <path d={drawings[name]} />
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
