import { useRef, useState } from 'react';
import { act } from '../../actions/leads.ts';
import { post } from '../../api/client.ts';
import { useTimes } from '../../api/owner.ts';
import { useNewsletter, useSubscribers } from '../../api/queries.ts';
import type { SubscriberRow } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useKeys } from '../../lib/keyboard.ts';
import { newsletterViews } from '../../routes.ts';
import { ProofDialog } from '../../sections/proof-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Table } from '../../ui/facts.tsx';
import { SearchField } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import { Growth } from './growth.tsx';
import styles from './newsletter.module.css';

export function SubscribersPage() {
  const [q, setQ] = useState('');
  const found = useSubscribers(q);
  const newsletter = useNewsletter().data;
  const times = useTimes(60_000);
  const [proofOf, setProofOf] = useState<SubscriberRow>();
  const search = useRef<HTMLInputElement>(null);
  useCommand('frontdoor subscribers list');
  useKeys({ '/': () => search.current?.focus(), escape: () => search.current?.blur() });
  const rows = found.data?.pages.flatMap((page) => page.subscribers) ?? [];
  return (
    <>
      <PageHead title="Newsletter" views={newsletterViews}>
        <SearchField ref={search} placeholder="Address" q={q} search={setQ} />
      </PageHead>
      <div className={styles.people}>
        {newsletter && !q && <Growth newsletter={newsletter} />}
        {found.data && rows.length === 0 ? (
          <Empty title={q ? `No address has “${q}”` : 'Nobody has subscribed yet'}>
            <p>
              {q ? 'Parts of addresses are searched.' : 'Who confirms the newsletter comes here.'}
            </p>
          </Empty>
        ) : (
          <Table columns={['Address', 'State', 'Since', 'Consent']}>
            {rows.map((row) => (
              <tr key={row.id}>
                <th scope="row">{row.email}</th>
                <td>
                  {row.suspended ? 'suspended' : row.state}
                  {row.says && <span className={styles.says}>{row.says}</span>}
                  {row.suspended && <Resume subscriber={row} />}
                </td>
                <td>{times.date(row.since)}</td>
                <td>
                  <Button
                    look="text"
                    command={`frontdoor subscribers proof ${row.email}`}
                    onClick={() => setProofOf(row)}
                  >
                    Proof<span className={prose.hidden}> of {row.email}</span>
                  </Button>
                </td>
              </tr>
            ))}
          </Table>
        )}
        {found.hasNextPage && (
          <p>
            <Button onClick={() => void found.fetchNextPage()}>Show more</Button>
          </p>
        )}
      </div>
      {proofOf && <ProofDialog subscriber={proofOf} onClose={() => setProofOf(undefined)} />}
    </>
  );
}

export const Resume = ({ subscriber: { id, email } }: { subscriber: SubscriberRow }) => (
  <Button
    look="text"
    command={`frontdoor subscribers resume ${email}`}
    onClick={() => void act(() => post(`subscribers/${id}/resume`), 'newsletter', 'subscribers')}
  >
    Resume<span className={prose.hidden}> {email}</span>
  </Button>
);
