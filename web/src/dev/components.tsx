/**
 * The components of `ui/` that have variants, in all of them, at `/components` under `make dev`
 * and nowhere else: options that no page uses today are looked at here.
 */
import site from 'content:site';
import type { ReactNode } from 'react';
import { createRoot } from 'react-dom/client';
import { ClosingCall } from '../sections/closing-call.tsx';
import { Button, type ButtonLook } from '../ui/button.tsx';
import { Card, type CardProps } from '../ui/card.tsx';
import { Field } from '../ui/field.tsx';
import { FormStatus } from '../ui/form-status.tsx';
import type { HeadingLayout } from '../ui/heading.tsx';
import { Icon } from '../ui/icon.tsx';
import { type IconName, iconPaths } from '../ui/icon-paths.ts';
import { Section, type SectionProps } from '../ui/section.tsx';
import '../styles/base.css';

/** All values of an option; one that is left out is an error of types. */
type All<T extends string> = Record<T, true>;
type Option<P, K extends keyof P> = All<NonNullable<P[K]> & string>;

const section = {
  backgroundColor: { dark: true, 'dark-lighter': true, 'dark-accent': true, primary: true },
  spacing: { sm: true, md: true, lg: true, xl: true },
  containerType: { default: true, narrow: true, wide: true, full: true },
} satisfies { [K in 'backgroundColor' | 'spacing' | 'containerType']: Option<SectionProps, K> };
const heading: All<HeadingLayout> = { stack: true, split: true, center: true };

const card = {
  padding: { none: true, sm: true, md: true, lg: true },
  shadow: { none: true, soft: true, glow: true },
  borderRadius: { md: true, lg: true, xl: true },
  hoverEffect: { none: true, lift: true },
} satisfies { [K in 'padding' | 'shadow' | 'borderRadius' | 'hoverEffect']: Option<CardProps, K> };

const variants: Option<ButtonLook, 'variant'> = { primary: true, ghost: true, light: true };
const sizes: Option<ButtonLook, 'size'> = { small: true, medium: true };

/** Each option of a component with each of its values. */
const each = (options: Record<string, object>) =>
  Object.entries(options).flatMap(([option, values]) =>
    Object.keys(values).map((value) => ({
      name: `${option}: ${value}`,
      props: { [option]: value },
    })),
  );

function Components() {
  return (
    <main id="main">
      {each({ ...section, heading }).map(({ name, props }) => (
        <Section
          key={name}
          kicker="Section"
          title={name}
          lead={site.tagline}
          heading="stack"
          {...props}
        >
          <p>{site.tagline}.</p>
        </Section>
      ))}
      <Section title="delay: 600" heading="stack" delay={600} />
      <ClosingCall closing={{ title: 'ClosingCall', text: site.tagline, booking: 'Book' }} />
      <Section title="Card" heading="stack">
        <Row>
          {each(card).map(({ name, props }) => (
            <Card key={name} {...props}>
              {name}
            </Card>
          ))}
          <Card border={false}>border: false</Card>
        </Row>
      </Section>
      <Section title="Button" heading="stack">
        <Row>
          {each({ variant: variants, size: sizes }).map(({ name, props }) => (
            <Button key={name} type="button" {...props}>
              {name}
            </Button>
          ))}
          <Button type="button" icon="arrow-right" wide>
            wide, icon
          </Button>
          <Button type="button" disabled>
            disabled
          </Button>
        </Row>
      </Section>
      <Section title="Field, FormStatus" heading="stack" containerType="narrow">
        <Row>
          <Field name="plain" label="Plain" />
          <Field name="noted" label="With a note" note="optional" placeholder="A placeholder" />
          <Field name="wrong" label="Wrong" invalid errorId="status-error" />
          <Field name="rows" label="Rows" rows={5} />
          <Field name="disabled" label="Disabled" disabled defaultValue="As it was" />
          <FormStatus
            id="status-error"
            submission={{ state: 'error', message: 'What is wrong', fields: [] }}
          />
          <FormStatus
            id="status-success"
            submission={{ state: 'success', message: 'It is done' }}
          />
        </Row>
      </Section>
      <Section title="Icon" heading="stack">
        <Row>
          {Object.keys(iconPaths).map((name) => (
            <span key={name}>
              <Icon name={name as IconName} size={28} /> {name}
            </span>
          ))}
        </Row>
      </Section>
    </main>
  );
}

const Row = ({ children }: { children: ReactNode }) => (
  <div
    style={{
      display: 'grid',
      gap: 24,
      gridTemplateColumns: 'repeat(auto-fill, minmax(240px, 1fr))',
    }}
  >
    {children}
  </div>
);

const root = document.getElementById('root');
if (root) createRoot(root).render(<Components />);
