import { runAction } from '../actions/leads.ts';
import { post } from '../api/client.ts';
import { useTimes } from '../api/owner.ts';
import type { DeliveryRow } from '../api/types.ts';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import prose from '../ui/prose.module.css';

export const retry = (which: `${string}/retry` | 'retry-all') =>
  runAction(() => post(`deliveries/${which}`), 'lead', 'health', 'summary');

export function DeliveryList({ deliveries }: { deliveries: DeliveryRow[] }) {
  const times = useTimes();
  const end = (delivery: DeliveryRow) =>
    delivery.can_retry ? (
      <Button
        small
        command={`frontdoor deliveries retry ${delivery.id}`}
        onClick={() => retry(`${delivery.id}/retry`)}
      >
        Try now
      </Button>
    ) : (
      delivery.at && <span className={prose.low}>{times.short(delivery.at)}</span>
    );
  return (
    <Facts>
      {deliveries.map((delivery) => (
        <Fact key={delivery.id} label={delivery.what} end={end(delivery)}>
          <span className={delivery.failing ? prose.fault : undefined}>{delivery.summary}</span>
        </Fact>
      ))}
    </Facts>
  );
}
