import type { AnchorHTMLAttributes, ButtonHTMLAttributes, ReactNode } from 'react';
import { Link } from 'wouter';
import styles from './button.module.css';
import { Icon, type IconName } from './icon.tsx';
import { Keys } from './keys.tsx';

interface Look {
  children: ReactNode;
  /** One solid one a view: the next thing to do. */
  look?: 'plain' | 'go' | 'bare' | 'text';
  tight?: boolean;
  icon?: IconName | undefined;
  /** The keys that do the same. */
  keys?: string[];
  /** What the shell would do; the foot line shows it while one points here. */
  command?: string | undefined;
}

function dress({ children, look = 'plain', tight, icon, keys, command }: Look) {
  return {
    className: `${styles[look]} ${tight ? styles.tight : ''}`,
    'data-command': command,
    'aria-keyshortcuts': keys?.join('+').replace('Ctrl', 'Control'),
    children: (
      <>
        {icon && <Icon name={icon} />}
        {children}
        {keys && <Keys keys={keys} />}
      </>
    ),
  };
}

type ButtonProps = Look & Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'children' | 'className'>;

export function Button({ look, tight, icon, keys, command, children, ...rest }: ButtonProps) {
  const own = dress({ look, tight, icon, keys, command, children } as Look);
  return <button type="button" {...rest} {...own} />;
}

type LinkProps = Look & { href: string } & Omit<
    AnchorHTMLAttributes<HTMLAnchorElement>,
    'children' | 'className' | 'href'
  >;

/** Looks like a button and goes to another page, of the desk or, with `rel`, elsewhere. */
export function ButtonLink({ look, tight, icon, keys, command, children, ...rest }: LinkProps) {
  const own = dress({ look, tight, icon, keys, command, children } as Look);
  const isElsewhere = rest.rel !== undefined || rest.download !== undefined;
  return isElsewhere ? <a {...rest} {...own} /> : <Link {...rest} {...own} />;
}
