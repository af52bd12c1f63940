import { useContent } from '../content/context.ts';
import { classes } from './classes.ts';
import { Icon } from './icon.tsx';
import styles from './motion-control.module.css';

/** `behaviours/lasting-motion.ts` handles its clicks; its text follows the page's `data-motion`. */
export function MotionControl({ className }: { className?: string | undefined }) {
  const { layout } = useContent().pages;
  return (
    <button type="button" className={classes(styles.control, className)} data-pause-motion="">
      <span className={styles.pause}>
        <Icon name="pause" size={16} />
        {layout.motion.pause}
      </span>
      <span className={styles.play}>
        <Icon name="play" size={16} />
        {layout.motion.play}
      </span>
    </button>
  );
}
