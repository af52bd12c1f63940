import { useMutation } from '@tanstack/react-query';
import { notify, notifyFailure } from '../../actions/toasts.ts';
import { post, refresh, useHealth, useLiveCheck, useSummary, useTimes } from '../../api/queries.ts';
import type * as Api from '../../api/types.ts';
import { PageHead } from '../../frame/frame.tsx';
import { useNow } from '../../lib/page.ts';
import { ago, capital, duration, plural } from '../../lib/words.ts';
import { DeliveryList, RetryButton } from '../../sections/lead.tsx';
import { Button, ButtonLink, Command, Face, Icon, type IconName } from '../../ui/controls.tsx';
import { Facts, Part } from '../../ui/parts.tsx';
import ui from '../../ui/ui.module.css';
import styles from './health-page.module.css';

const checkCommand = 'frontdoor check --live';

export function HealthPage() {
  const { data, dataUpdatedAt, isFetching, refetch } = useHealth();
  const live = useLiveCheck();
  const isChecking = live.isFetching;
  useSummary();
  const checked = isFetching ? 'Checking …' : `Checked ${ago(dataUpdatedAt)}`;
  const outside = live.data ? `, from outside ${ago(live.dataUpdatedAt)}` : '';
  const checkLive = async () => {
    const { error } = await live.refetch();
    if (error) void notifyFailure(error);
    void refetch();
  };
  const summary = isChecking ? 'Checking from outside, up to a minute …' : checked + outside;
  return (
    <>
      <PageHead title="Health" command={checkCommand} note={data && summary}>
        <Button label="Check live" command={checkCommand} locked={isChecking} onClick={checkLive} />
      </PageHead>
      {data && (
        <div className={ui.body}>
          {data.first_steps.length > 0 && <FirstSteps steps={data.first_steps} />}
          <div className={ui.columns}>
            <div>
              <Checks findings={[...data.findings, ...onlyIn(live.data, data.findings)]} />
              {!live.data && (
                <p className={ui.aside}>
                  Check live also looks from outside: DNS, certificate, a test mail, a test call to
                  the webhook, and a test lead that is removed again.
                </p>
              )}
              {data.deliveries.length > 0 && (
                <Part
                  title="Failing deliveries"
                  note={`${plural(data.deliveries.length, 'delivery', 'deliveries')}; nothing is lost`}
                  end={data.deliveries.some((each) => each.can_retry) && <RetryButton />}
                >
                  <DeliveryList deliveries={data.deliveries} />
                </Part>
              )}
            </div>
            <div>
              {data.backups && <Backups backups={data.backups} />}
              <Sessions sessions={data.sessions} />
            </div>
          </div>
          <Settings settings={data.settings} />
        </div>
      )}
    </>
  );
}

/** Findings of the live check that the page's own, newer ones don't include. */
const onlyIn = (live: Api.Finding[] = [], own: Api.Finding[]) =>
  live.filter(({ check, what }) => !own.some((each) => each.check === check && each.what === what));

const withCode = (text: string) =>
  text.split('`').map((part, index) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence keep their order.
    index % 2 === 1 ? <code key={index}>{part}</code> : part,
  );

/** Begins with a capital, unless the first word is an address. */
const sentence = (text: string) => withCode(/^\S*[.:/]\S/.test(text) ? text : capital(text));

function FirstSteps({ steps }: { steps: Api.FirstStep[] }) {
  const needed = steps.filter((step) => !step.optional);
  return (
    <section className={styles.steps} aria-labelledby="first-steps">
      <header>
        <h2 id="first-steps">Before you go live</h2>
        <p className={ui.small}>
          {needed.filter((step) => step.done).length} of {needed.length} done. This list goes away
          once all are.
        </p>
      </header>
      <ol>
        {steps.map(({ name, what, done, optional, part, link, command }) => (
          <li key={name} data-done={done}>
            <h3>
              {done && <Icon name="check" />}
              {name}
              {optional && <span className={ui.low}>, optional</span>}
              {done && <span className={ui.hidden}>, done</span>}
            </h3>
            {!done && (
              <>
                <p>{withCode(what)}</p>
                {part && <TestButton part={part} />}
                {link && (
                  <ButtonLink
                    label="Open the form"
                    small
                    href={link}
                    rel="noreferrer"
                    target="_blank"
                  />
                )}
                {command && <Command command={command} />}
              </>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}

const verbs: Record<Api.Part, string> = {
  mail: 'Send a test mail',
  webhook: 'Call the webhook',
  backup: 'Make a backup now',
};

function TestButton({ part }: { part: Api.Part }) {
  const { data, isPending, mutate } = useMutation({
    networkMode: 'always',
    // The mail server or the webhook may be slow.
    mutationFn: () => post<Api.Finding>(`health/try/${part}`, {}, 60_000),
    onError: (error) => notifyFailure(error),
    onSettled: () => refresh('health'),
  });
  return (
    <>
      <Button
        label={isPending ? 'Waiting for an answer …' : verbs[part]}
        small
        command={part === 'backup' ? 'frontdoor backup FILE' : checkCommand}
        locked={isPending}
        onClick={mutate}
      />
      <p role="status" className={styles.found}>
        {data && (
          <span className={data.state === 'bad' ? ui.fault : undefined}>
            {sentence(data.what)}. {sentence(data.remedy)}
          </span>
        )}
      </p>
    </>
  );
}

const icons: Record<Api.FindingState, { icon: IconName; word: string }> = {
  bad: { icon: 'alert', word: 'Needs fixing' },
  unsure: { icon: 'clock', word: 'Worth a look' },
  good: { icon: 'check', word: 'Fine' },
};

/** Only a remedy that is just a command can be copied. */
const isCommand = (remedy: string) => /^(frontdoor|systemctl) [-\w ]+$/.test(remedy);

/** Findings that need the owner come first; the good ones are hidden until asked for. */
function Checks({ findings }: { findings: Api.Finding[] }) {
  const inState = (state: Api.FindingState) => findings.filter((each) => each.state === state);
  const [bad, unsure, good] = [inState('bad'), inState('unsure'), inState('good')];
  const counts = [
    bad.length > 0 && `${plural(bad.length, 'needs', 'need')} fixing`,
    unsure.length > 0 && `${unsure.length} worth a look`,
    `${plural(good.length, 'is', 'are')} fine`,
  ];
  return (
    <Part title="Checks" note={counts.filter(Boolean).join(', ')}>
      <CheckList findings={[...bad, ...unsure]} />
      {good.length > 0 && (
        <details>
          <summary className={ui.link}>
            Show {plural(good.length, 'check that is', 'checks that are')} fine
          </summary>
          <CheckList findings={good} />
        </details>
      )}
    </Part>
  );
}

const CheckList = ({ findings }: { findings: Api.Finding[] }) => (
  <ul className={`${ui.lines} ${styles.checks}`}>
    {findings.map(({ check, state, what, remedy }) => (
      <li key={check + what} data-state={state}>
        <Icon name={icons[state].icon} />
        <h3>
          <span className={ui.hidden}>{icons[state].word}: </span>
          {check}
        </h3>
        <div>
          <p>{sentence(what)}</p>
          {isCommand(remedy) && <Command command={remedy} />}
          {remedy && !isCommand(remedy) && <p className={ui.aside}>{sentence(remedy)}</p>}
        </div>
      </li>
    ))}
  </ul>
);

function Backups({ backups: { folder, last } }: { backups: Api.BackupState }) {
  const when = useTimes();
  const now = useNow();
  const made = last && `${duration(now - Date.parse(last))} old, made ${when(last).full}`;
  return (
    <Part title="Backups">
      <Facts
        rows={[
          { label: 'Last', value: made ?? 'There is none yet.' },
          { label: 'Folder', value: <code>{folder}</code> },
        ]}
      />
      <TestButton part="backup" />
    </Part>
  );
}

function Sessions({ sessions }: { sessions: Api.SessionRow[] }) {
  const when = useTimes();
  const signOut = async (id: string, name: string, this_browser: boolean) => {
    try {
      await post<void>(this_browser ? 'sign-out' : `sessions/${id}/revoke`);
      notify(this_browser ? 'You are signed out.' : `${name} is signed out.`);
    } catch (error) {
      void notifyFailure(error);
    }
    refresh('health');
  };
  return (
    <Part title="Signed in">
      <ul className={`${ui.lines} ${styles.sessions}`}>
        {sessions.map(({ id, name, this_browser, created_at, used_at }) => (
          <li key={id}>
            <Face person={{ name, this_browser }} />
            <p>
              <b>{this_browser ? `${name}, this browser` : name}</b>
              <span className={ui.under}>
                since {when(created_at).date}, used {when(used_at).short}
              </span>
            </p>
            <Button
              label="Sign out"
              about={name}
              small
              command={`frontdoor desk revoke ${id}`}
              onClick={() => signOut(id, name, this_browser)}
            />
          </li>
        ))}
      </ul>
    </Part>
  );
}

function Settings({ settings }: { settings: Api.SettingRow[] }) {
  const groups = [...new Set(settings.map((setting) => setting.group))];
  return (
    <Part title="Settings" note="secrets are masked">
      <details className={styles.settings}>
        <summary className={ui.link}>Show {plural(settings.length, 'setting')}</summary>
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
                      <span className={ui.low}>{from}</span>
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
