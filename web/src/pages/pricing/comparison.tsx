import { useContent } from '../../content/context.ts';
import type { Comparison as Words } from '../../content/types.ts';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './comparison.module.css';

/** The packages side by side; there once the content has rows for it. */
export function Comparison() {
  const { pricing } = useContent().pages;
  if (!pricing.comparison) return null;
  const { feature, rows, included, not_included, ...words } = pricing.comparison;
  return (
    <Section {...words} heading="center" spacing="md" containerType="wide">
      {/* A narrow screen scrolls it sideways, by the keyboard too. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard. */}
      <section className={styles.scroll} aria-label={words.kicker} tabIndex={0}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{feature}</th>
              {pricing.packages.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.label}>
                <th scope="row">{row.label}</th>
                {pricing.packages.map(({ id }) => (
                  <td key={id}>
                    <Cell value={row.packages[id] ?? false} words={{ included, not_included }} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Section>
  );
}

type CellProps = { value: string | boolean; words: Pick<Words, 'included' | 'not_included'> };

function Cell({ value, words }: CellProps) {
  if (typeof value === 'string') return value;
  return (
    <>
      {value ? <Icon name="check" /> : <span aria-hidden="true">–</span>}
      <span className="visually-hidden">{value ? words.included : words.not_included}</span>
    </>
  );
}
