/** What pages show of subscribers: the proof of somebody's consent, and how many there are by month. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../api/queries.ts';
import type { Growth, ProofLine } from '../api/types.ts';
import { number, timeParts } from '../lib/words.ts';
import { Button, Command, Dialog } from '../ui/controls.tsx';
import { Facts, Table } from '../ui/parts.tsx';
import ui from '../ui/ui.module.css';
import styles from './subscribers.module.css';

/** Opens when, where and to which words somebody agreed. */
export function ProofButton({ id, email }: { id: string; email: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const open = () => setIsOpen(true);
  const close = () => setIsOpen(false);
  const { data, error } = useQuery({
    queryKey: ['proof', id],
    queryFn: () => get<ProofLine[]>(`subscribers/${id}/proof`),
    enabled: isOpen,
  });
  const command = `frontdoor subscribers proof ${email}`;
  return (
    <>
      <Button variant="text" label="Proof" about={`of ${email}`} command={command} onClick={open} />
      {isOpen && (
        <Dialog title={`Consent of ${email}`} onClose={close}>
          {error && <p className={ui.fault}>{error.message}</p>}
          <Facts rows={data ?? []} />
          <Command command={command} />
        </Dialog>
      )}
    </>
  );
}

export const GrowthChart = ({ growth, asTable }: { growth: Growth[]; asTable: boolean }) =>
  growth.length > 1 && (
    <>
      {!asTable && <Line growth={growth} />}
      <Table
        caption="Confirmed subscribers by month"
        columns={['Month', 'Confirmed']}
        rows={growth.toReversed().map((each) => [monthName(each), each.confirmed])}
        kind={asTable ? 'figures' : 'hidden'}
      />
    </>
  );

function monthName({ month }: Growth): string {
  const { month: name, year } = timeParts(Date.parse(month), 'UTC');
  return `${name} ${year}`;
}

/** The lines stretch with the box; the labels are HTML beside them, so their size stays. */
function Line({ growth }: { growth: Growth[] }) {
  const values = growth.map(({ confirmed }) => confirmed);
  const step = niceStep(Math.max(...values, 1));
  const top = Math.max(...values, step) * 1.06;
  const last = growth.length - 1;
  const x = (index: number) => (index / last) * 100;
  const y = (value: number) => 100 - (value / top) * 100;
  const line = values.map((value, index) => `${index ? 'L' : 'M'}${x(index)} ${y(value)}`).join('');
  const [from, to] = [growth[0], growth[last]];
  if (!from || !to) return null;
  const marks = [step, step * 2].filter((value) => value < top);
  return (
    <div
      className={styles.chart}
      role="img"
      aria-label={`Confirmed subscribers by month, from ${from.confirmed} in ${monthName(from)} to ${to.confirmed} in ${monthName(to)}; the table has the numbers.`}
    >
      <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
        {marks.map((value) => (
          <line key={value} x1="0" x2="100" y1={y(value)} y2={y(value)} />
        ))}
        <path className={styles.area} d={`${line}L100 100L0 100Z`} />
        <path className={styles.line} d={line} />
      </svg>
      <i className={styles.dot} style={{ top: `${y(to.confirmed)}%` }} />
      {marks.map((value) => (
        <span key={value} className={styles.value} style={{ top: `${y(value)}%` }}>
          {number(value)}
        </span>
      ))}
      {growth.map(
        (each, index) =>
          (index === last || (index % 3 === 0 && index < last - 1)) && (
            <span key={each.month} className={styles.month} style={{ left: `${x(index)}%` }}>
              {monthName(each).slice(0, 3)}
            </span>
          ),
      )}
    </div>
  );
}

/** 1, 2 or 5 times a power of ten, so that one or two lines fit below the top. */
function niceStep(top: number): number {
  const power = 10 ** Math.floor(Math.log10(top));
  const leading = top / power;
  const step = leading >= 5 ? 5 * power : leading >= 2 ? power : power / 2;
  return Math.max(1, Math.round(step));
}
