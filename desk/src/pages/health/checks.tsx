import { useState } from 'react';
import type { Finding } from '../../api/types.ts';
import { plural, sentence } from '../../lib/words.ts';
import { Button } from '../../ui/button.tsx';
import { Command, WithCode } from '../../ui/command.tsx';
import { Part } from '../../ui/facts.tsx';
import { Icon, type IconName } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './checks.module.css';

const icons: Record<Finding['state'], { icon: IconName; word: string }> = {
  bad: { icon: 'alert', word: 'Needs fixing' },
  unsure: { icon: 'clock', word: 'Worth a look' },
  good: { icon: 'check', word: 'Well' },
};

/** One command and nothing else can be copied. */
const isCommand = (remedy: string) => /^(frontdoor|systemctl) [-\w ]+$/.test(remedy);

/** What is broken first, in full; what is well is grey and folds away. */
export function Checks({ findings }: { findings: Finding[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const of = (state: Finding['state']) => findings.filter((each) => each.state === state);
  const [bad, unsure, good] = [of('bad'), of('unsure'), of('good')];
  const says = [
    bad.length > 0 && `${plural(bad.length, 'needs', 'need')} fixing`,
    unsure.length > 0 && `${unsure.length} worth a look`,
    `${plural(good.length, 'is', 'are')} well`,
  ].filter(Boolean);
  const shown = [...bad, ...unsure, ...(showsAll ? good : [])];
  return (
    <Part title="Checks" says={says.join(', ')}>
      {shown.length > 0 && (
        <ul className={styles.checks}>
          {shown.map(({ check, state, what, remedy }) => (
            <li key={check + what} data-state={state}>
              <Icon name={icons[state].icon} />
              <h3>
                <span className={prose.hidden}>{icons[state].word}: </span>
                {check}
              </h3>
              <div>
                <p>
                  <WithCode>{sentence(what)}</WithCode>
                </p>
                {isCommand(remedy) && <Command command={remedy} />}
                {remedy && !isCommand(remedy) && (
                  <p className={prose.aside}>
                    <WithCode>{sentence(remedy)}</WithCode>
                  </p>
                )}
              </div>
            </li>
          ))}
        </ul>
      )}
      {good.length > 0 && (
        <p className={styles.well}>
          <Icon name="check" />
          {bad.length + unsure.length > 0 ? 'And ' : ''}
          {plural(good.length, 'check that is', 'checks that are')} well.{' '}
          <Button look="text" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
            {showsAll ? 'Hide' : 'Show'}
          </Button>
        </p>
      )}
    </Part>
  );
}
