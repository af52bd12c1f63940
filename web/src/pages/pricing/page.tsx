import { useContent } from '../../content/context.ts';
import type { Content, Package, Comparison as Words } from '../../content/types.ts';
import { pageHead } from '../../lib/head.ts';
import { fadeInThreshold, stagger } from '../../lib/reveal-timing.ts';
import { offers } from '../../lib/structured-data.ts';
import { ClosingCall } from '../../sections/closing-call.tsx';
import { PageHero } from '../../sections/page-hero.tsx';
import { Card } from '../../ui/card.tsx';
import { classes } from '../../ui/classes.ts';
import { BookingLink } from '../../ui/contact-links.tsx';
import { Grid } from '../../ui/grid.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './page.module.css';

/** `error` is shown above the packages; nothing sets it today. */
export function Page({ error }: { error?: string | undefined }) {
  const { pricing } = useContent().pages;
  return (
    <>
      <PageHero {...pricing.hero} />
      <Packages error={error} />
      <Comparison />
      <WhyChoose />
      {pricing.choosing && <ClosingCall closing={pricing.choosing} />}
    </>
  );
}

function Packages({ error }: { error: string | undefined }) {
  const { pricing } = useContent().pages;
  const { packages, retainers } = pricing;
  return (
    <Section spacing="sm" containerType="wide">
      {error && (
        <p className={styles.error} role="alert">
          {error}
        </p>
      )}
      <Grid count={packages.length} most={4} className={styles.packages}>
        {packages.map((entry, index) => (
          <PackageCard key={entry.id} entry={entry} index={index % 4} />
        ))}
      </Grid>
      {retainers && (
        <aside className={styles.retainers}>
          <h2 className={styles.packagesTitle}>{retainers.title}</h2>
          <p>{retainers.text}</p>
        </aside>
      )}
    </Section>
  );
}

function PackageCard({ entry, index }: { entry: Package; index: number }) {
  const { pricing } = useContent().pages;
  return (
    <Card shadow={entry.badge ? 'glow' : 'none'} index={index}>
      <div className={styles.top}>
        <span className={styles.icon}>
          <Icon path={entry.icon} size={26} />
        </span>
        {entry.badge && <span className={styles.badge}>{entry.badge}</span>}
      </div>
      <h2 className={styles.name}>{entry.name}</h2>
      <p className={styles.subtitle}>{entry.subtitle}</p>
      <p className={styles.description}>{entry.description}</p>
      <h3 className={styles.includes}>{pricing.includes}</h3>
      <ul className={styles.features}>
        {entry.features.map((feature) => (
          <li key={feature}>
            <Icon name="check" size={18} />
            {feature}
          </li>
        ))}
      </ul>
      <div className={styles.end}>
        {entry.price ? (
          <p className={styles.price}>{entry.price}</p>
        ) : (
          <p className={styles.quote}>{pricing.quote}</p>
        )}
        <BookingLink label={pricing.booking} variant={entry.badge ? 'primary' : 'ghost'} wide />
      </div>
    </Card>
  );
}

/** The packages side by side. */
function Comparison() {
  const { pricing } = useContent().pages;
  if (!pricing.comparison) return null;
  const { feature, rows, included, not_included, ...words } = pricing.comparison;
  return (
    <Section {...words} heading="center" spacing="md" containerType="wide">
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

function WhyChoose() {
  const { pricing } = useContent().pages;
  if (!pricing.why) return null;
  const { items, ...words } = pricing.why;
  return (
    <Section {...words} heading="split" backgroundColor="dark-lighter">
      <Grid
        as="ul"
        count={items.length}
        most={3}
        className={classes(styles.points, items.length > 3 && styles.rows)}
      >
        {items.map((point, index) => (
          <li
            key={point.title}
            data-fade={fadeInThreshold}
            data-delay={(index % 3) * stagger || undefined}
          >
            <Icon path={point.icon} size={26} />
            <div>
              <h3 className={styles.whyChooseTitle}>{point.title}</h3>
              <p>{point.text}</p>
            </div>
          </li>
        ))}
      </Grid>
    </Section>
  );
}

export const meta = ({ site, pages: { pricing } }: Content) =>
  pageHead(site, pricing.head, pricing.hero, ...offers(site, pricing.packages));
