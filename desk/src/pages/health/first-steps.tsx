import { type ReactNode, useState } from 'react';
import { tellFailure } from '../../actions/toasts.ts';
import { post } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import type { Finding, FirstStep, Part } from '../../api/types.ts';
import { sentence } from '../../lib/words.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Command, WithCode } from '../../ui/command.tsx';
import { Icon } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import styles from './health-page.module.css';

/** The mail server and the webhook get their time to answer. */
export const patience = 60_000;

const verbs: Record<Part, string> = {
  mail: 'Send a test mail',
  webhook: 'Call the webhook',
  backup: 'Make a backup now',
};

/** Tries one part, and says below what came of it. */
export function Try({ part }: { part: Part }) {
  const [found, setFound] = useState<Finding | 'asked'>();
  const isAsked = found === 'asked';
  const onClick = async () => {
    if (isAsked) return;
    setFound('asked');
    try {
      setFound(await post<Finding>(`health/try/${part}`, {}, patience));
    } catch (error) {
      setFound(undefined);
      tellFailure(error);
    }
    refresh('health');
  };
  return (
    <>
      <Button
        tight
        command={part === 'backup' ? 'frontdoor backup FILE' : 'frontdoor check --live'}
        aria-disabled={isAsked}
        onClick={() => void onClick()}
      >
        {isAsked ? 'Waiting for an answer …' : verbs[part]}
      </Button>
      <p role="status" className={styles.found}>
        {found && !isAsked && (
          <span className={found.state === 'bad' ? prose.fault : undefined}>
            {sentence(found.what)}.
            {found.remedy && (
              <>
                {' '}
                <WithCode>{sentence(found.remedy)}</WithCode>
              </>
            )}
          </span>
        )}
      </p>
    </>
  );
}

function how({ part, link, command }: FirstStep): ReactNode {
  if (part) return <Try part={part} />;
  if (link)
    return (
      <ButtonLink tight href={link} rel="noreferrer" target="_blank">
        Open the form
      </ButtonLink>
    );
  return command && <Command command={command} />;
}

/** Until all is done: what a site needs before visitors come. */
export function FirstSteps({ steps }: { steps: FirstStep[] }) {
  const done = steps.filter((step) => step.done).length;
  if (steps.length === 0) return null;
  return (
    <section className={styles.steps} aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">Before you go live</h2>
        <p className={prose.small}>
          {done} of {steps.length} done. This box goes away with the last one.
        </p>
      </header>
      <ol>
        {steps.map((step) => (
          <li key={step.name} data-done={step.done}>
            <h3>
              {step.done && <Icon name="check" />}
              {step.name}
              {step.done && <span className={prose.hidden}>, done</span>}
            </h3>
            {!step.done && (
              <>
                <p>
                  <WithCode>{step.what}</WithCode>
                </p>
                {how(step)}
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
