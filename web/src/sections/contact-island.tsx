import words from 'content:contact-form';
import { Island } from '../ui/island.tsx';
import { ContactForm, type ContactFormProps } from './contact-form.tsx';

/** The contact form on a page with scripts: asleep until it is touched. */
export const ContactIsland = (props: Pick<ContactFormProps, 'location'>) => (
  <Island name="contact-form" wake="touch" component={ContactForm} words={words} props={props} />
);
