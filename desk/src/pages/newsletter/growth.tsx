import { useState } from 'react';
import type { Newsletter } from '../../api/types.ts';
import { plural } from '../../lib/words.ts';
import { GrowthChart } from '../../sections/growth-chart.tsx';
import { Button } from '../../ui/button.tsx';
import { Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import styles from './newsletter.module.css';

/** Confirmed subscribers by month, as a line and, behind it, the numbers. */
export function Growth({ newsletter }: { newsletter: Newsletter }) {
  const { counts, growth } = newsletter;
  const [asTable, setAsTable] = useState(false);
  const more = counts.gained_in_30_days;
  return (
    <Part
      title="Subscribers"
      end={
        growth.length > 1 && (
          <Button look="text" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Chart' : 'Table'}
          </Button>
        )
      }
    >
      <p className={styles.count}>
        <span className={prose.big}>{counts.confirmed.toLocaleString('en')}</span>
        <span>
          confirmed
          {more !== 0 && (
            <>
              ,{' '}
              <b>
                {Math.abs(more)} {more > 0 ? 'more' : 'fewer'}
              </b>{' '}
              than 30 days ago
            </>
          )}
        </span>
      </p>
      <GrowthChart growth={growth} asTable={asTable} />
      <p className={prose.aside}>
        {plural(counts.pending, 'person waits', 'people wait')} to confirm,{' '}
        {counts.unsubscribed.toLocaleString('en')} left.
      </p>
    </Part>
  );
}
