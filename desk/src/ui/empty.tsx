import type { ReactNode } from 'react';
import styles from './empty.module.css';
import prose from './prose.module.css';

const drawings = {
  done: 'M60 8a22 22 0 1 1 0 44 22 22 0 0 1 0-44zM51 30.500l6.500 6.500L70 24.500',
  nothing: 'M38 14h44v38H38zM38 38h13l3 6h12l3-6h13',
  chart: 'M36 58V46M48 58V34M60 58V40M72 58V24M84 58V12',
};

interface Props {
  title: string;
  next: string;
  children?: ReactNode;
  /** `done`: all is dealt with; `chart`: nothing is counted yet. */
  drawing?: keyof typeof drawings;
  /** It is the whole page, so its title is the `h1`. */
  isPage?: boolean;
}

export function Empty({ title, next, children, drawing = 'nothing', isPage }: Props) {
  const Title = isPage ? 'h1' : 'h2';
  return (
    <div className={styles.empty}>
      <svg viewBox="0 0 120 72" aria-hidden="true">
        <path className={styles.ground} d="M4 66h36M50 66h20M80 66h36" />
        <path d={drawings[drawing]} />
      </svg>
      <Title className={prose.title}>{title}</Title>
      <p>{next}</p>
      {children}
    </div>
  );
}
