import { useState } from 'react';
import { useOwner } from '../../api/owner.ts';
import { useNewsletter, useSubscribers } from '../../api/queries.ts';
import type { SubscriberRow } from '../../api/types.ts';
import { useCommand } from '../../frame/foot-line.tsx';
import { PageHead } from '../../frame/page-head.tsx';
import { useNow } from '../../lib/clock.ts';
import { useSettled } from '../../lib/kept-draft.ts';
import { useKeys } from '../../lib/keyboard.ts';
import { shortDate } from '../../lib/time.ts';
import { paths } from '../../routes.ts';
import { ProofDialog } from '../../sections/proof-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Field } from '../../ui/field.tsx';
import prose from '../../ui/prose.module.css';
import table from '../../ui/table.module.css';
import { Growth } from './growth.tsx';
import { NewsletterViews } from './newsletter-views.tsx';
import styles from './subscribers-page.module.css';
import { Resume } from './suspended.tsx';

const searchId = 'subscriber-search';

export function SubscribersPage() {
  const [typed, setTyped] = useState('');
  const q = useSettled(typed.trim(), 150);
  const found = useSubscribers(q);
  const newsletter = useNewsletter().data;
  const [proofOf, setProofOf] = useState<SubscriberRow>();
  useCommand('frontdoor subscribers list');
  useKeys({ search: () => document.getElementById(searchId)?.focus() });
  const rows = found.data?.pages.flatMap((page) => page.subscribers) ?? [];
  return (
    <>
      <PageHead title="Newsletter" views={<NewsletterViews current={paths.subscribers} />}>
        <Field
          id={searchId}
          label="Search"
          quietLabel
          icon="search"
          type="search"
          placeholder="Address"
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
      </PageHead>
      <div className={styles.body}>
        {newsletter && !q && <Growth newsletter={newsletter} />}
        {found.data && rows.length === 0 ? (
          <Empty title={q ? `No address has “${q}”` : 'Nobody has subscribed yet'}>
            <p>
              {q ? 'Parts of addresses are searched.' : 'Who confirms the newsletter comes here.'}
            </p>
          </Empty>
        ) : (
          <div className={table.wrap}>
            <table className={styles.people}>
              <thead>
                <tr>
                  <th scope="col">Address</th>
                  <th scope="col">State</th>
                  <th scope="col">Since</th>
                  <th scope="col">Consent</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <Subscriber key={row.id} row={row} showProof={() => setProofOf(row)} />
                ))}
              </tbody>
            </table>
          </div>
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

function Subscriber({ row, showProof }: { row: SubscriberRow; showProof: () => void }) {
  const { zone } = useOwner().site;
  const now = useNow(60_000);
  return (
    <tr>
      <th scope="row">{row.email}</th>
      <td>
        {row.suspended ? 'suspended' : row.state}
        {row.says && <span className={styles.says}>{row.says}</span>}
        {row.suspended && <Resume subscriber={row} />}
      </td>
      <td>{shortDate(Date.parse(row.since), now, zone)}</td>
      <td>
        <Button
          look="text"
          command={`frontdoor subscribers proof ${row.email}`}
          onClick={showProof}
        >
          Proof<span className={prose.hidden}> of {row.email}</span>
        </Button>
      </td>
    </tr>
  );
}
