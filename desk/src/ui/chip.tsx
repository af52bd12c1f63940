import type { ReactNode } from 'react';
import styles from './chip.module.css';
import { Icon, type IconName } from './icon.tsx';

interface Props {
  children: ReactNode;
  icon?: IconName;
  /** Somebody or something is here now. */
  present?: boolean;
}

export const Chip = ({ children, icon, present }: Props) => (
  <span className={present ? styles.present : styles.chip}>
    {icon && <Icon name={icon} />}
    <span>{children}</span>
  </span>
);
