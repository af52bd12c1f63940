import { act } from '../actions/toasts.ts';
import { useTimes } from '../api/queries.ts';
import type { DeliveryRow } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Facts } from '../ui/facts.tsx';
import prose from '../ui/prose.module.css';

/** Without an id it tries all deliveries again. */
export function RetryButton({ id }: { id?: string }) {
  const path = id ? `deliveries/${id}/retry` : 'deliveries/retry-all';
  return (
    <Button
      label={id ? 'Try now' : 'Try all now'}
      small
      command={`frontdoor deliveries retry ${id ?? '--all'}`}
      onClick={() => act(path, ['lead', 'health', 'summary'])}
    />
  );
}

export function DeliveryList({ deliveries }: { deliveries: DeliveryRow[] }) {
  const when = useTimes();
  if (deliveries.length === 0) return <p className={prose.aside}>Nothing was sent.</p>;
  return (
    <Facts
      rows={deliveries.map(({ id, what, summary, at, failing, can_retry }) => ({
        label: what,
        value: <span className={failing ? prose.fault : undefined}>{summary}</span>,
        end: can_retry ? (
          <RetryButton id={id} />
        ) : (
          at && <span className={prose.low}>{when(at).short}</span>
        ),
      }))}
    />
  );
}
