import { act } from '../../actions/leads.ts';
import { tellFailure } from '../../actions/toasts.ts';
import { ask } from '../../api/client.ts';
import { useOwner } from '../../api/owner.ts';
import { queries, useHealth, useLiveCheck, useSummary } from '../../api/queries.ts';
import type { BackupState, Finding, SessionRow, SettingRow } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { Face } from '../../frame/navigation.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useNow } from '../../lib/clock.ts';
import { byTime, duration, minute, shortDate, shortTime } from '../../lib/time.ts';
import { plural } from '../../lib/words.ts';
import { DeliveryList, retry } from '../../sections/delivery-list.tsx';
import { Button } from '../../ui/button.tsx';
import { Fact, Facts, Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import { Checks } from './checks.tsx';
import { FirstSteps, Try } from './first-steps.tsx';
import styles from './health-page.module.css';

export function HealthPage() {
  const { data, dataUpdatedAt, isFetching, refetch } = useHealth();
  const live = useLiveCheck();
  useCommand('frontdoor check --live');
  useSummary();
  const now = useNow();
  const looked = isFetching ? 'Looking …' : `Looked at ${ago(dataUpdatedAt)}`;
  const outside = live.data ? `, from outside ${ago(live.dataUpdatedAt)}` : '';
  const checkLive = async () => {
    if (live.isFetching) return;
    const { error } = await live.refetch();
    if (error) tellFailure(error);
    void refetch();
  };
  const says = live.isFetching ? 'Checking from outside, up to a minute …' : looked + outside;
  return (
    <>
      <PageHead title="Health" says={<span className={prose.aside}>{data ? says : ''}</span>}>
        <Button
          command="frontdoor check --live"
          aria-disabled={live.isFetching}
          onClick={() => void checkLive()}
        >
          Check live
        </Button>
      </PageHead>
      {data && (
        <div className={styles.body}>
          <FirstSteps steps={data.first_steps} />
          <div className={styles.columns}>
            <div>
              <Checks findings={[...data.findings, ...withoutDoubles(live.data, data.findings)]} />
              {!live.data && (
                <p className={prose.aside}>
                  Check live also looks from outside: DNS, certificate, a test mail, a test call to
                  the webhook, and a test lead that is removed again.
                </p>
              )}
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
              {data.backups && <Backups backups={data.backups} now={now} />}
              <Sessions sessions={data.sessions} now={now} />
            </div>
          </div>
          <Settings settings={data.settings} />
        </div>
      )}
    </>
  );
}

const ago = (time: number) => {
  const passed = Date.now() - time;
  return passed < minute ? 'now' : `${duration(passed)} ago`;
};

/** The page's own look is the newer one. */
const withoutDoubles = (live: Finding[] = [], own: Finding[]) =>
  live.filter(({ check, what }) => !own.some((each) => each.check === check && each.what === what));

function Backups({ backups, now }: { backups: BackupState; now: number }) {
  const { zone } = useOwner().site;
  const last = backups.last && Date.parse(backups.last);
  return (
    <Part title="Backups">
      <Facts>
        <Fact label="Last">
          {last
            ? `${duration(now - last)} old, made ${byTime(last, now, zone)}`
            : 'There is none yet.'}
        </Fact>
        <Fact label="Folder">
          <code>{backups.folder}</code>
        </Fact>
      </Facts>
      <div className={styles.try}>
        <Try part="backup" />
      </div>
    </Part>
  );
}

function Sessions({ sessions, now }: { sessions: SessionRow[]; now: number }) {
  const { zone } = useOwner().site;
  const signOut = async (session: SessionRow) => {
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

function Settings({ settings }: { settings: SettingRow[] }) {
  const groups = [...new Set(settings.map((setting) => setting.group))];
  return (
    <Part title="Settings" says="secrets are masked">
      <details className={styles.settings}>
        <summary className={prose.link}>Show {plural(settings.length, 'setting')}</summary>
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {settings
                .filter((setting) => setting.group === group)
                .map(({ name, value, from }) => (
                  <div key={name} data-default={from === 'default'}>
                    <dt>
                      <code>{name}</code>
                    </dt>
                    <dd>
                      <span>{value}</span>
                      <span className={prose.low}>{from}</span>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </details>
    </Part>
  );
}
