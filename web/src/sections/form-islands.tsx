/** The forms on a page with scripts, each with only the content it needs, because that is sent with the page. */
import { useContent } from '../content/context.ts';
import { Island } from '../ui/island.tsx';
import { ContactForm, type ContactFormProps } from './contact-form.tsx';
import { NewsletterForm, type NewsletterFormProps } from './newsletter-form.tsx';

export function ContactIsland({ location }: Pick<ContactFormProps, 'location'>) {
  const form = useContactForm();
  return <Island name="contact-form" component={ContactForm} props={{ location, ...form }} />;
}

export function useContactForm(): Pick<ContactFormProps, 'words' | 'fields' | 'messages'> {
  const { pages, fields, messages } = useContent();
  const { required, email_shape, too_long, contact_sent, contact_failed } = messages;
  return {
    words: pages['contact-form'],
    fields,
    messages: { required, email_shape, too_long, contact_sent, contact_failed },
  };
}

export const NewsletterIsland = () => (
  <Island name="newsletter-form" component={NewsletterForm} props={useNewsletterForm()} />
);

export function useNewsletterForm(): Omit<NewsletterFormProps, 'filled'> {
  const { pages, fields, messages } = useContent();
  const { kicker, title, text, ...words } = pages.blog.newsletter;
  const { email_shape, newsletter_email_missing, newsletter_accepted, newsletter_failed } =
    messages;
  return {
    words,
    limit: fields.email.limit,
    messages: { email_shape, newsletter_email_missing, newsletter_accepted, newsletter_failed },
  };
}

/** The placeholders with which the server fills in a field again and marks it (`src/http/site/resource.rs`). */
export const serverFilled = (field: string, place = field) => ({
  defaultValue: `{{${place}}}`,
  // The server replaces it with `true` or `false`.
  invalid: `{{${field}_invalid}}` as unknown as boolean,
  errorId: `{{${field}_described}}`,
});
