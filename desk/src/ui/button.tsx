import {
  type AnchorHTMLAttributes,
  type ButtonHTMLAttributes,
  type ReactNode,
  useRef,
} from 'react';
import { Link } from 'wouter';
import { notify } from '../actions/toasts.ts';
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

const elementProps = ({
  children,
  variant = 'plain',
  small,
  icon,
  keys,
  command,
  ...rest
}: SharedProps) => ({
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
});

/** Key hints for the eye; screen readers get `aria-keyshortcuts`. */
export const Keys = ({ keys }: { keys: string }) => (
  <span className={styles.keys} aria-hidden="true">
    {keys.split(' ').map((key) => (
      <kbd key={key}>{key}</kbd>
    ))}
  </span>
);

type OtherAttributes<T> = Omit<T, 'children' | 'className' | 'href'>;

type ButtonProps = SharedProps &
  Omit<OtherAttributes<ButtonHTMLAttributes<HTMLButtonElement>>, 'onClick'> & {
    onClick?: () => unknown;
  };

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

type LinkProps = SharedProps & { href: string } & OtherAttributes<
    AnchorHTMLAttributes<HTMLAnchorElement>
  >;

/** A link that looks like a button; with `rel` or `download` it leaves the desk. */
export const ButtonLink = (props: LinkProps) => {
  const link = { ...elementProps(props), href: props.href };
  return props.rel || props.download ? <a {...link} /> : <Link {...link} />;
};

interface SegmentedProps<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string; icon?: IconName; iconOnly?: boolean }[];
  onChange: (value: T) => void;
}

/** Switches between a few views of the same thing. */
export const Segmented = <T extends string>({
  label,
  value,
  options,
  onChange,
}: SegmentedProps<T>) => (
  <fieldset className={styles.segments}>
    <legend className={prose.hidden}>{label}</legend>
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.icon && <Icon name={option.icon} />}
        <span className={option.iconOnly ? prose.hidden : undefined}>{option.label}</span>
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
