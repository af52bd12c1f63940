import { useEffect, useRef } from 'react';
import { whenIdle } from '../../lib/idle.ts';
import { reducedMotion } from '../../lib/scroll.ts';
import styles from './hero.module.css';

/** Decoration: fetched when the page is idle, and never for those who ask for less motion. */
export function ParticleBackground() {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    if (reducedMotion()) return;
    let stop: (() => void) | undefined;
    let gone = false;
    const cancel = whenIdle(async () => {
      const { startParticles } = await import('./start-particles.ts');
      const area = canvas.current?.parentElement;
      if (!gone && canvas.current && area) stop = startParticles(canvas.current, area);
    });
    return () => {
      gone = true;
      cancel();
      stop?.();
    };
  }, []);
  return <canvas ref={canvas} className={styles.particles} />;
}
