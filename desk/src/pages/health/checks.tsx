import { useState } from 'react';
import type { Health } from '../../api/types.ts';
import { Button } from '../../ui/button.tsx';
import { WithCode } from '../../ui/command.tsx';
import { Part } from '../../ui/facts.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './checks.module.css';

type Finding = Health['findings'][number];

const icons: Record<Finding['state'], { icon: IconName; word: string }> = {
  fault: { icon: 'alert', word: 'Fault' },
  warning: { icon: 'clock', word: 'To think about' },
  ok: { icon: 'check', word: 'Well' },
};

/** What is broken first, in full; what is well is grey and folds away. */
export function Checks({ findings }: { findings: Finding[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const of = (state: Finding['state']) => findings.filter((each) => each.state === state);
  const [faults, warnings, well] = [of('fault'), of('warning'), of('ok')];
  const shown = showsAll ? well : [];
  const says = [
    faults.length > 0 && `${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`,
    warnings.length > 0 && `${warnings.length} to think about`,
    `${well.length} ${well.length === 1 ? 'is' : 'are'} well`,
  ].filter(Boolean);
  return (
    <Part title="Checks" says={says.join(', ')}>
      <ul className={styles.checks}>
        {[...faults, ...warnings, ...shown].map(({ state, what, remedy }) => (
          <li key={what} data-state={state}>
            <Icon name={icons[state].icon} />
            <div>
              <h3>
                <span className={prose.hidden}>{icons[state].word}: </span>
                <WithCode>{what}</WithCode>
              </h3>
              {remedy && (
                <p className={prose.small}>
                  <WithCode>{remedy}</WithCode>
                </p>
              )}
            </div>
          </li>
        ))}
      </ul>
      {well.length > 0 && (
        <p className={styles.well}>
          <Icon name="check" />
          {faults.length + warnings.length > 0 ? 'And ' : ''}
          {well.length} that {well.length === 1 ? 'is' : 'are'} well.{' '}
          <Button look="text" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Hide' : 'Show'}
          </Button>
        </p>
      )}
    </Part>
  );
}
