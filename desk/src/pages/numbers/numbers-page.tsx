import { useSearchParams } from 'wouter';
import { useNumbers } from '../../api/queries.ts';
import type { Numbers } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { plural } from '../../lib/words.ts';
import { GrowthChart } from '../../sections/growth-chart.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Part } from '../../ui/facts.tsx';
import prose from '../../ui/prose.module.css';
import { Segmented } from '../../ui/segmented.tsx';
import { Answers } from './answers.tsx';
import { isCompared, longSpan, stepsOf } from './figures.ts';
import { Funnel, TakeDays } from './funnel.tsx';
import styles from './numbers.module.css';
import { kinds, Sources } from './sources.tsx';

const periods = ['7', '30', '90', '365'];
const views = [
  { value: 'chart', label: 'Chart' },
  { value: 'table', label: 'Table' },
];

export function NumbersPage() {
  const [params, setParams] = useSearchParams();
  /** The address says which numbers these are. */
  const choose = (name: string) => (value: string) =>
    setParams((params) => {
      params.set(name, value);
      return params;
    });
  const days = periods.find((days) => days === params.get('days')) ?? '30';
  const asTable = params.get('view') === 'table';
  const kind = kinds.find(({ value }) => value === params.get('by'))?.value ?? 'source';
  const { data } = useNumbers(days);
  useCommand(`frontdoor stats --days ${days} --by ${kind}`);
  const shown = data ? stepsOf(data) : [];
  const isEmpty = shown.every(({ key }) => data?.totals[key] === 0);
  return (
    <>
      <PageHead
        title="Numbers"
        says={
          data && (
            <span className={prose.aside}>
              {longSpan(data.from, data.to)}
              {isCompared(data)
                ? `, beside the ${data.days} days before`
                : '; nothing was counted before'}
            </span>
          )
        }
      >
        <div className={styles.choices}>
          <Segmented
            label="Days"
            value={days}
            options={periods.map((value) => ({
              value,
              label: value === days ? `${value} days` : value,
            }))}
            onChange={choose('days')}
          />
          {data && !isEmpty && (
            <>
              <Segmented
                label="Show"
                value={asTable ? 'table' : 'chart'}
                options={views}
                onChange={choose('view')}
              />
              <TakeDays numbers={data} steps={shown} />
            </>
          )}
        </div>
      </PageHead>
      {data && !data.counting && (
        <p className={styles.off}>
          Visits are not counted, as <code>FRONTDOOR_COUNT=off</code> says. Leads, answers and
          bookings are known without it.
        </p>
      )}
      {data && isEmpty && <Nothing numbers={data} />}
      {data && !isEmpty && (
        <div className={styles.page}>
          <Funnel numbers={data} steps={shown} asTable={asTable} />
          <div className={styles.body}>
            <div className={styles.main}>
              <Sources numbers={data} steps={shown} kind={kind} onKind={choose('by')} />
              <Explained numbers={data} />
            </div>
            <div className={styles.side}>
              <Answers answers={data.answers} asTable={asTable} />
              <Subscribers numbers={data} asTable={asTable} />
            </div>
          </div>
        </div>
      )}
    </>
  );
}

const Nothing = ({ numbers }: { numbers: Numbers }) => (
  <Empty
    title={`No ${numbers.counting ? 'visits' : 'leads'} in the last ${numbers.days} days`}
    drawing="chart"
  >
    <p>
      The first one shows here within a minute. Shares appear from ten on; below that you see the
      plain numbers.
    </p>
    <Explained numbers={numbers} />
  </Empty>
);

/** What the numbers mean, and what they cannot tell. */
const Explained = ({ numbers: { totals, counting } }: { numbers: Numbers }) =>
  (counting || totals.requested > 0) && (
    <p className={styles.explained}>
      Visits are pages requested from outside; programs are left out as far as they say who they
      are. “Seen” means that the page was in view for some seconds.{' '}
      {totals.booking_presses > 0 &&
        `The links to book a call were pressed ${plural(totals.booking_presses, 'time')}. `}
      Nobody can say how many different people these were, and neither can we; the same is true of
      who came back.
    </p>
  );

function Subscribers({ numbers, asTable }: { numbers: Numbers; asTable: boolean }) {
  const { confirmed, more, points } = numbers.subscribers;
  const changed = `, ${Math.abs(more).toLocaleString('en')} ${more > 0 ? 'more' : 'fewer'}`;
  return (
    <Part
      title="Newsletter"
      says={
        confirmed > 0
          ? `${confirmed.toLocaleString('en')} confirmed${more === 0 ? '' : changed}`
          : 'nobody has confirmed it yet'
      }
    >
      {confirmed > 0 && <GrowthChart growth={points} asTable={asTable} />}
    </Part>
  );
}
