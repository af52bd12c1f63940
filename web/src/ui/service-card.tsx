import type { ReactNode } from 'react';
import { useContent } from '../content/context.ts';
import { Card, CardLink, CardWords } from './card.tsx';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './service-card.module.css';

type ServiceCardProps = {
  icon: string;
  title: string;
  subtitle: string;
  description: string;
  link: string;
  index: number;
  children?: ReactNode;
  /** Shows a placeholder if the card has no picture, because cards beside it have one. */
  placeholder?: boolean;
  className?: string | undefined;
};

export function ServiceCard(props: ServiceCardProps) {
  const { services } = useContent().pages;
  const { icon, title, subtitle, description, link, index, children, placeholder, className } =
    props;
  return (
    <Card
      padding="none"
      hoverEffect="lift"
      index={index}
      className={classes(styles.card, className)}
    >
      {children ? (
        <div className={styles.art} data-late>
          {children}
        </div>
      ) : (
        placeholder && (
          <div className={styles.placeholder}>
            <Icon path={icon} size={72} />
          </div>
        )
      )}
      <CardWords>
        <p className={styles.subtitle}>
          <Icon path={icon} size={18} />
          {subtitle}
        </p>
        <h3 className={styles.title}>{title}</h3>
        <p className={styles.description}>{description}</p>
        <CardLink className={classes('arrow-link', styles.more)} href={link}>
          {services.learn_more}
          <span className="visually-hidden">{title}</span>
          <Icon name="arrow-right" size={18} />
        </CardLink>
      </CardWords>
    </Card>
  );
}
