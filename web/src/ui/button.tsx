import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-paths.ts';

export type ButtonLook = {
  variant?: 'primary' | 'ghost' | 'light';
  size?: 'small' | 'medium';
  wide?: boolean | undefined;
  icon?: IconName;
};

const look = ({ variant = 'primary', size = 'medium', wide }: ButtonLook) =>
  classes(styles.button, styles[variant], size === 'small' && styles.small, wide && styles.wide);

type ButtonProps = Pick<ButtonLook, 'wide'> & ButtonHTMLAttributes<HTMLButtonElement>;

export const Button = ({ wide, ...rest }: ButtonProps) => (
  <button className={look({ wide })} {...rest} />
);

type ButtonLinkProps = ButtonLook & AnchorHTMLAttributes<HTMLAnchorElement>;

export function ButtonLink({ variant, size, wide, icon, children, ...rest }: ButtonLinkProps) {
  return (
    <a className={look({ variant, size, wide } as ButtonLook)} {...rest}>
      {children}
      {icon && <Icon name={icon} size={18} />}
    </a>
  );
}
