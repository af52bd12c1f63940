import type { ReactNode } from 'react';
import type { Picture as PictureData } from '../content/types.ts';
import { classes } from '../ui/classes.ts';
import { Picture } from '../ui/picture.tsx';
import { Kicker } from '../ui/section.tsx';
import styles from './notice.module.css';

type NoticeProps = {
  kicker?: string;
  title: string;
  text: string;
  picture?: PictureData | undefined;
  children: ReactNode;
};

export function Notice({ kicker, title, text, picture, children }: NoticeProps) {
  return (
    <div className={classes('column', styles.notice, picture && styles.pictured)}>
      <div>
        {kicker && <Kicker>{kicker}</Kicker>}
        <h1 className={styles.title}>{title}</h1>
        <p className={styles.text}>{text}</p>
        <div className={`buttons ${styles.ways}`}>{children}</div>
      </div>
      {picture && <Picture picture={picture} eager framed className={styles.picture} />}
    </div>
  );
}
