import { useContent } from '../../content/context.ts';
import { BesideHeading } from '../../sections/beside-heading.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Section } from '../../ui/section.tsx';
import styles from './faq.module.css';

export function Faq() {
  const { contact } = useContent().pages;
  if (!contact.faq) return null;
  const { items, ...words } = contact.faq;
  return (
    <Section {...words} backgroundColor={contact.timeline ? 'dark' : 'dark-lighter'}>
      <BesideHeading>
        <div className={styles.items}>
          {items.map((item) => (
            <details key={item.question} className={styles.item}>
              <summary>
                {item.question}
                <Icon name="plus" />
              </summary>
              <p>{item.answer}</p>
            </details>
          ))}
        </div>
      </BesideHeading>
    </Section>
  );
}
