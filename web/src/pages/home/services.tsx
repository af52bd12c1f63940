import { useContent } from '../../content/context.ts';
import { Picture } from '../../ui/picture.tsx';
import { Section } from '../../ui/section.tsx';
import { ServiceCard } from '../../ui/service-card.tsx';
import styles from './services.module.css';

export function Services() {
  const { services, pages } = useContent();
  const hasPictures = services.some(({ card_picture }) => card_picture);
  return (
    <Section {...pages.home.services} heading="split">
      <div className={styles.bento}>
        {services.map((service, index) => (
          <ServiceCard
            key={service.id}
            icon={service.icon}
            title={service.title}
            subtitle={service.subtitle}
            description={service.short_description}
            link={`/services#${service.id}`}
            index={index}
            ground={hasPictures}
            className={styles.card}
          >
            {service.card_picture && (
              <Picture
                picture={service.card_picture}
                className={service.card_picture.sources && styles.photo}
              />
            )}
          </ServiceCard>
        ))}
      </div>
    </Section>
  );
}
