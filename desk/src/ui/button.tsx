import { type ComponentProps, useRef } from 'react';
import { notify } from '../actions/toasts.ts';
import { capital } from '../lib/words.ts';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import prose from './prose.module.css';

interface SharedProps {
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

const elementProps = (props: SharedProps) => {
  const { label, about, variant = 'plain', small, icon, keys, command, ...rest } = props;
  return {
    ...rest,
    className: `${styles[variant]} ${small ? styles.small : ''}`,
    'data-command': command,
    'aria-keyshortcuts': keys?.replace(' ', '+').replace('Ctrl', 'Control'),
    children: (
      <>
        {icon && <Icon name={icon} />}
        {label}
        {about && <span className={prose.hidden}> {about}</span>}
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

type LinkProps = SharedProps &
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
