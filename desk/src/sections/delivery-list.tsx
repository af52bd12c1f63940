import { useOwner } from '../api/owner.ts';
import type { DeliveryRow } from '../api/types.ts';
import { useNow } from '../lib/clock.ts';
import { shortTime } from '../lib/time.ts';
import { Button } from '../ui/button.tsx';
import { Fact, Facts } from '../ui/facts.tsx';
import prose from '../ui/prose.module.css';

interface Props {
  deliveries: DeliveryRow[];
  retry: (delivery: DeliveryRow) => void;
}

export function DeliveryList({ deliveries, retry }: Props) {
  const { zone } = useOwner().site;
  const now = useNow();
  const end = (delivery: DeliveryRow) =>
    delivery.can_retry ? (
      <Button
        tight
        command={`frontdoor deliveries retry ${delivery.id}`}
        onClick={() => retry(delivery)}
      >
        Try now
      </Button>
    ) : (
      delivery.at && (
        <span className={prose.low}>{shortTime(Date.parse(delivery.at), now, zone)}</span>
      )
    );
  return (
    <Facts>
      {deliveries.map((delivery) => (
        <Fact key={delivery.id} label={delivery.what} end={end(delivery)}>
          <span className={delivery.failing ? prose.fault : undefined}>{delivery.says}</span>
        </Fact>
      ))}
    </Facts>
  );
}
