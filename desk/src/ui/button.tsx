import { type ComponentProps, type ReactNode, useRef } from 'react';
import { Link } from 'wouter';
import { notify } from '../actions/toasts.ts';
import { capital } from '../lib/words.ts';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import prose from './prose.module.css';

const variants = {
  plain: styles.plain,
  primary: styles.primary,
  quiet: styles.quiet,
  text: `${styles.text} ${prose.link}`,
};

interface SharedProps {
  children: ReactNode;
  /** `primary` is solid, one on each view: the next thing to do. */
  variant?: keyof typeof variants;
  small?: boolean;
  icon?: IconName | undefined;
  /** The keys that do the same, such as `Ctrl Enter`. */
  keys?: string;
  /** The shell command that does the same; the foot line shows it on hover and focus. */
  command?: string | undefined;
}

const elementProps = (props: SharedProps) => {
  const { children, variant = 'plain', small, icon, keys, command, ...rest } = props;
  return {
    ...rest,
    className: `${variants[variant]} ${small ? styles.small : ''}`,
    'data-command': command,
    'aria-keyshortcuts': keys?.replace(' ', '+').replace('Ctrl', 'Control'),
    children: (
      <>
        {icon && <Icon name={icon} />}
        {children}
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

export type ButtonProps = SharedProps &
  Omit<ComponentProps<'button'>, 'className' | 'onClick'> & { onClick?: () => unknown };

/** A second press does nothing while the first one's request is on its way. */
export function Button({ onClick, ...props }: ButtonProps) {
  const isBusy = useRef(false);
  const press = async () => {
    if (isBusy.current) return;
    isBusy.current = true;
    try {
      await onClick?.();
    } finally {
      isBusy.current = false;
    }
  };
  return <button type="button" {...elementProps(props)} onClick={press} />;
}

type LinkProps = SharedProps & Omit<ComponentProps<'a'>, 'className' | 'href'> & { href: string };

/** A link that looks like a button; with `rel` or `download` it leaves the desk. */
export const ButtonLink = (props: LinkProps) => {
  const link = { ...elementProps(props), href: props.href };
  return props.rel || props.download ? <a {...link} /> : <Link {...link} />;
};

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

/** Switches between a few views of the same thing. */
export const Segmented = <T extends string>({ words = capital, ...props }: SegmentedProps<T>) => (
  <fieldset className={styles.segments}>
    <legend className={prose.hidden}>{props.label}</legend>
    {props.options.map((value) => (
      <button
        key={value}
        type="button"
        aria-pressed={value === props.value}
        onClick={() => props.onChange(value)}
      >
        {props.icons && <Icon name={props.icons[value]} />}
        <span className={props.iconsOnly ? prose.hidden : undefined}>{words(value)}</span>
      </button>
    ))}
  </fieldset>
);

export async function copyToClipboard(text: string, message: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(message);
  } catch {
    notify('The browser does not let the desk copy it.');
  }
}

export const CopyButton = ({ command }: { command: string }) => (
  <button
    type="button"
    className={styles.copy}
    onClick={() => copyToClipboard(command, 'The command is copied.')}
  >
    <Icon name="copy" />
    <span className={prose.hidden}>Copy the command {command}</span>
  </button>
);

/** A command to run on the server. */
export const Command = ({ command }: { command: string }) => (
  <span className={styles.command}>
    <code>{command}</code>
    <CopyButton command={command} />
  </span>
);
