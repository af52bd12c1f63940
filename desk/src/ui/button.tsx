import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import { tell } from '../actions/toasts.ts';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import prose from './prose.module.css';

const looks = {
  plain: styles.plain,
  go: styles.go,
  bare: styles.bare,
  text: `${styles.text} ${prose.link}`,
};

interface Look {
  children: ReactNode;
  /** `go` is solid, one on each view: the next thing to do. */
  look?: keyof typeof looks;
  tight?: boolean;
  icon?: IconName | undefined;
  /** The keys that do the same, such as `Ctrl Enter`. */
  keys?: string;
  /** The shell command that does the same; the foot line shows it on hover and focus. */
  command?: string | undefined;
}

const dress = ({ children, look = 'plain', tight, icon, keys, command, ...rest }: Look) => ({
  ...rest,
  className: `${looks[look]} ${tight ? styles.tight : ''}`,
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

type Rest<T> = Omit<T, 'children' | 'className' | 'href'>;

export const Button = (props: Look & Rest<ButtonHTMLAttributes<HTMLButtonElement>>) => (
  <button type="button" {...dress(props)} />
);

type LinkProps = Look & { href: string } & Rest<AnchorHTMLAttributes<HTMLAnchorElement>>;

/** A link that looks like a button; with `rel` or `download` it leaves the desk. */
export const ButtonLink = (props: LinkProps) => {
  const own = { ...dress(props), href: props.href };
  return props.rel || props.download ? <a {...own} /> : <Link {...own} />;
};

interface Choice<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; label: string; icon?: IconName; iconOnly?: boolean }[];
  onChange: (value: T) => void;
}

/** Switches between a few views of the same thing. */
export const Segmented = <T extends string>({ label, value, options, onChange }: Choice<T>) => (
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

export async function copy(text: string, said: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(said);
  } catch {
    tell('The browser does not let the desk copy it.');
  }
}

export const CopyButton = ({ command }: { command: string }) => (
  <button
    type="button"
    className={styles.copy}
    onClick={() => copy(command, 'The command is copied.')}
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
