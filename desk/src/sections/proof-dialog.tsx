import { useQuery } from '@tanstack/react-query';
import { get } from '../api/client.ts';
import type { Proof } from '../api/types.ts';
import { Button, Command } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Facts } from '../ui/facts.tsx';
import prose from '../ui/prose.module.css';

interface Props {
  subscriber: { id: string; email: string };
  onClose: () => void;
}

/** When, where and to which words somebody agreed. */
export function ProofDialog({ subscriber, onClose }: Props) {
  const { data, error } = useQuery({
    queryKey: ['proof', subscriber.id],
    queryFn: () => get<Proof>(`subscribers/${subscriber.id}/proof`),
  });
  return (
    <Dialog title={`Consent of ${subscriber.email}`} onClose={onClose}>
      {error && <p className={prose.fault}>{error.message}</p>}
      <Facts rows={data?.lines ?? []} />
      <Command command={`frontdoor subscribers proof ${subscriber.email}`} />
      <p>
        <Button onClick={onClose}>Back</Button>
      </p>
    </Dialog>
  );
}
