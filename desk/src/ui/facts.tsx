import { type ReactNode, useId } from 'react';
import styles from './facts.module.css';
import prose from './prose.module.css';

interface PartProps {
  title: string;
  /** A few words beside the title. */
  says?: ReactNode;
  end?: ReactNode;
  children: ReactNode;
}

/** A titled piece of a page. */
export function Part({ title, says, end, children }: PartProps) {
  const heading = useId();
  return (
    <section className={styles.part} aria-labelledby={heading}>
      <header>
        <h2 id={heading}>{title}</h2>
        {says && <p className={prose.aside}>{says}</p>}
        {end && <div className={styles.end}>{end}</div>}
      </header>
      {children}
    </section>
  );
}

export const Facts = ({ children }: { children: ReactNode }) => (
  <ul className={styles.facts}>{children}</ul>
);

interface FactProps {
  label: ReactNode;
  children: ReactNode;
  end?: ReactNode;
}

export const Fact = ({ label, children, end }: FactProps) => (
  <li>
    <span className={styles.label}>{label}</span>
    <span className={styles.value}>{children}</span>
    {end && <span className={styles.last}>{end}</span>}
  </li>
);
