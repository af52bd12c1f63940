import { useContent } from '../content/context.ts';
import { ButtonLink, type ButtonLook } from './button.tsx';

/** Stands once in the layout; every link that opens a new tab points to it. */
export const newTabNoteId = 'new-tab-note';

/** Opens the external scheduling page in a new tab. */
export function BookingLink({ label, ...look }: ButtonLook & { label: string }) {
  const { site } = useContent();
  return (
    <ButtonLink
      href={site.booking_url}
      target="_blank"
      rel="noopener"
      aria-describedby={newTabNoteId}
      icon="arrow-up-right"
      data-booking
      {...look}
    >
      {label}
    </ButtonLink>
  );
}
