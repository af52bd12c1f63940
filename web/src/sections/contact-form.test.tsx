import words from 'content:contact-form';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { type ContactField, fieldNames, fields } from '../lib/fields.ts';
import { Page as Outcome } from '../pages/contact-outcome/page.tsx';
import { ContactForm } from './contact-form.tsx';

const input = (field: ContactField) =>
  document.querySelector<HTMLInputElement>(`label + [name="${field}"]`);

it.each(fieldNames)('%s has a place, with the name and the duty the contract gives it', (field) => {
  document.body.innerHTML = renderToStaticMarkup(<ContactForm location="contact" words={words} />);
  const { label, required } = fields[field];
  const name = required ? label : `${label} (optional)`;
  expect(input(field)?.previousElementSibling?.textContent).toBe(name);
  expect(input(field)?.required).toBe(required);
});

it.each(fieldNames)('%s is put back and marked by the server', (field) => {
  document.body.innerHTML = renderToStaticMarkup(<Outcome />);
  expect(input(field)?.getAttribute('aria-invalid')).toBe(`{{${field}_invalid}}`);
  expect(input(field)?.getAttribute('aria-describedby')).toBe(`{{${field}_described}}`);
  expect(input(field)?.defaultValue).toBe(field === 'message' ? '{{body}}' : `{{${field}}}`);
});
