import { useEffect, useRef } from 'react';
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
      const { startParticles } = await import('./particles.ts');
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

function whenIdle(work: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(work, 500);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(work);
  return () => cancelIdleCallback(handle);
}
