import { useState } from 'react';
import { act } from '../../actions/toasts.ts';
import { useTimes } from '../../api/owner.ts';
import { useNewsletter, useSubscribers } from '../../api/queries.ts';
import type { Newsletter, SubscriberRow } from '../../api/types.ts';
import { PageHead } from '../../frame/page-head.tsx';
import { number, plural } from '../../lib/words.ts';
import { newsletterViews } from '../../routes.ts';
import { GrowthChart } from '../../sections/growth-chart.tsx';
import { ProofDialog } from '../../sections/proof-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Part, Table } from '../../ui/facts.tsx';
import { SearchField } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import styles from './newsletter.module.css';

const columns = ['Address', 'State', 'Since', 'Consent'].map((label) => ({ label }));

export function SubscribersPage() {
  const [q, setQ] = useState('');
  const found = useSubscribers(q);
  const newsletter = useNewsletter().data;
  const when = useTimes();
  const [proofOf, setProofOf] = useState<SubscriberRow>();
  const subscribers = found.data?.pages.flatMap((page) => page.subscribers) ?? [];
  const stateOf = (subscriber: SubscriberRow) => (
    <>
      {subscriber.suspended ? 'suspended' : subscriber.state}
      {subscriber.refusal && <span className={styles.detail}>{subscriber.refusal}</span>}
      {subscriber.suspended && <Resume subscriber={subscriber} />}
    </>
  );
  const proof = (subscriber: SubscriberRow) => (
    <Button
      variant="text"
      command={`frontdoor subscribers proof ${subscriber.email}`}
      onClick={() => setProofOf(subscriber)}
    >
      Proof<span className={prose.hidden}> of {subscriber.email}</span>
    </Button>
  );
  return (
    <>
      <PageHead title="Newsletter" command="frontdoor subscribers list" views={newsletterViews}>
        <SearchField placeholder="Address" q={q} search={setQ} />
      </PageHead>
      <div className={styles.people}>
        {newsletter && !q && <Subscribers newsletter={newsletter} />}
        {found.data && subscribers.length === 0 ? (
          <Empty title={q ? `No address has “${q}”` : 'Nobody has subscribed yet'}>
            <p>{q ? 'Parts of addresses are searched.' : 'Confirmed subscribers appear here.'}</p>
          </Empty>
        ) : (
          <Table
            columns={columns}
            rows={subscribers.map((each) => ({
              cells: [each.email, stateOf(each), when(each.since).date, proof(each)],
            }))}
          />
        )}
        {found.hasNextPage && (
          <p>
            <Button onClick={() => found.fetchNextPage()}>Show more</Button>
          </p>
        )}
      </div>
      {proofOf && <ProofDialog subscriber={proofOf} onClose={() => setProofOf(undefined)} />}
    </>
  );
}

/** How many have confirmed, and the growth. */
export function Subscribers({ newsletter: { counts, growth } }: { newsletter: Newsletter }) {
  const [asTable, setAsTable] = useState(false);
  const more = counts.gained_in_30_days;
  return (
    <Part
      title="Subscribers"
      end={
        growth.length > 1 && (
          <Button variant="text" onClick={() => setAsTable(!asTable)}>
            {asTable ? 'Chart' : 'Table'}
          </Button>
        )
      }
    >
      <p className={styles.count}>
        <span className={prose.big}>{number(counts.confirmed)}</span>
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
        {number(counts.unsubscribed)} left.
      </p>
    </Part>
  );
}

export const Resume = ({ subscriber: { id, email } }: { subscriber: SubscriberRow }) => (
  <Button
    variant="text"
    command={`frontdoor subscribers resume ${email}`}
    onClick={() => act(`subscribers/${id}/resume`, ['newsletter', 'subscribers'])}
  >
    Resume<span className={prose.hidden}> {email}</span>
  </Button>
);
