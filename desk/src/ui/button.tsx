import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';

interface Look {
  children: ReactNode;
  /** One solid one a view: the next thing to do. */
  look?: 'plain' | 'go' | 'bare' | 'text';
  tight?: boolean;
  icon?: IconName | undefined;
  /** The keys that do the same, with spaces between those of one chord. */
  keys?: string;
  /** What the shell would do; the foot line shows it while one points here. */
  command?: string | undefined;
}

const dress = ({ children, look = 'plain', tight, icon, keys, command, ...rest }: Look) => ({
  ...rest,
  className: `${styles[look]} ${tight ? styles.tight : ''}`,
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

/** Hints beside a word; screen readers hear of keys by `aria-keyshortcuts`. */
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

/** Looks like a button and goes to another page, of the desk or, with `rel`, elsewhere. */
export const ButtonLink = (props: LinkProps) => {
  const own = { ...dress(props), href: props.href };
  return props.rel || props.download ? <a {...own} /> : <Link {...own} />;
};
