import { act } from '../../actions/leads.ts';
import { ask } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import { queries, useHealth, useSummary } from '../../api/queries.ts';
import type { Health } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { Face } from '../../frame/navigation.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useNow } from '../../lib/clock.ts';
import { byTime, duration, minute, shortDate, shortTime } from '../../lib/time.ts';
import { plural, size } from '../../lib/words.ts';
import { DeliveryList, retry } from '../../sections/delivery-list.tsx';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/command.tsx';
import { Fact, Facts, Part } from '../../ui/facts.tsx';
import { Icon } from '../../ui/icon.tsx';
import prose from '../../ui/prose.module.css';
import { Checks } from './checks.tsx';
import styles from './health-page.module.css';

export function HealthPage() {
  const { data, dataUpdatedAt, isFetching, refetch } = useHealth();
  useCommand('frontdoor check --live');
  useSummary();
  const now = useNow();
  const ago = Date.now() - dataUpdatedAt;
  const looked = isFetching
    ? 'Looking …'
    : `Looked at ${ago < minute ? 'now' : `${duration(ago)} ago`}`;
  return (
    <>
      <PageHead title="Health" says={<span className={prose.aside}>{data ? looked : ''}</span>}>
        <Button onClick={() => void refetch()}>Look again</Button>
      </PageHead>
      {data && (
        <div className={styles.body}>
          <FirstSteps steps={data.first_steps} />
          <div className={styles.columns}>
            <div>
              <Checks findings={data.findings} />
              {data.deliveries.length > 0 && (
                <Part
                  title="Failing deliveries"
                  says={`${plural(data.deliveries.length, 'delivery', 'deliveries')}; nothing is lost`}
                  end={
                    <Button
                      tight
                      command="frontdoor deliveries retry --all"
                      onClick={() => {
                        for (const each of data.deliveries) if (each.can_retry) void retry(each);
                      }}
                    >
                      Try all now
                    </Button>
                  }
                >
                  <DeliveryList deliveries={data.deliveries} />
                </Part>
              )}
            </div>
            <div>
              <Backups backups={data.backups} now={now} />
              <Sessions sessions={data.sessions} now={now} />
              {data.settings.length > 0 && <Settings settings={data.settings} />}
            </div>
          </div>
        </div>
      )}
    </>
  );
}

/** Until all is done: what a site needs before visitors come. */
function FirstSteps({ steps }: { steps: Health['first_steps'] }) {
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
          <li key={step.what} data-done={step.done}>
            <p>
              {step.done && <Icon name="check" />}
              {step.done && <span className={prose.hidden}>Done: </span>}
              {step.what}
            </p>
            {!step.done && step.command && <Command command={step.command} />}
          </li>
        ))}
      </ol>
    </section>
  );
}

function Backups({ backups, now }: { backups: Health['backups']; now: number }) {
  const { zone } = useOwner().site;
  const { folder, last, size: bytes } = backups;
  return (
    <Part title="Backups">
      <Facts>
        <Fact label="Last">
          {last
            ? `${duration(now - Date.parse(last))} old${bytes === null ? '' : `, ${size(bytes)}`}, made ${byTime(Date.parse(last), now, zone)}`
            : 'There is none yet.'}
        </Fact>
        {folder && (
          <Fact label="Folder">
            <code>{folder}</code>
          </Fact>
        )}
      </Facts>
      <p className={styles.command}>
        <Command command="frontdoor backup FILE" />
      </p>
    </Part>
  );
}

function Sessions({ sessions, now }: { sessions: Health['sessions']; now: number }) {
  const { zone } = useOwner().site;
  const signOut = async (session: Health['sessions'][number]) => {
    const isOwn = session.this_browser;
    await act(async () => {
      await ask('POST', isOwn ? 'sign-out' : `sessions/${session.id}/revoke`, {});
      return { said: isOwn ? 'You are signed out.' : `${session.name} is signed out.` };
    }, 'health');
    if (isOwn) await queries.resetQueries();
  };
  return (
    <Part title="Signed in">
      <ul className={styles.sessions}>
        {sessions.map((session) => (
          <li key={session.id}>
            <Face person={session} />
            <p>
              <b>
                {session.name}
                {session.this_browser && ', this browser'}
              </b>
              <span className={prose.aside}>
                since {shortDate(Date.parse(session.created_at), now, zone)}, used{' '}
                {shortTime(Date.parse(session.used_at), now, zone)}
              </span>
            </p>
            <Button
              tight
              command={`frontdoor desk revoke ${session.id}`}
              onClick={() => void signOut(session)}
            >
              Sign out<span className={prose.hidden}> {session.name}</span>
            </Button>
          </li>
        ))}
      </ul>
    </Part>
  );
}

const Settings = ({ settings }: { settings: Health['settings'] }) => (
  <Part title="Settings" says="secrets are masked">
    <details className={styles.settings}>
      <summary className={prose.link}>Show {plural(settings.length, 'setting')}</summary>
      <Facts>
        {settings.map(({ name, value, from }) => (
          <li key={name}>
            <code>{name}</code>
            <span>{value}</span>
            <span className={prose.low}>{from}</span>
          </li>
        ))}
      </Facts>
    </details>
  </Part>
);
