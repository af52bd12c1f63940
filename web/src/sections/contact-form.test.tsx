import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { frozenContent } from '../../build/testing/content-copy.ts';
import { ContentContext } from '../content/context.ts';
import type { ContactField } from '../content/types.ts';
import { Page as Outcome } from '../pages/contact-outcome/page.tsx';
import { ContactIsland } from './form-islands.tsx';

const content = await frozenContent();
const fieldNames = Object.keys(content.fields) as ContactField[];

function input(page: ReactNode, field: ContactField) {
  const inContent = <ContentContext value={content}>{page}</ContentContext>;
  document.body.innerHTML = renderToStaticMarkup(inContent);
  return document.querySelector<HTMLInputElement>(`label + [name="${field}"]`);
}

it.each(fieldNames)('%s has a place, with the name and the duty the contract gives it', (field) => {
  const { label, required } = content.fields[field];
  const shown = input(<ContactIsland location="contact" />, field);
  const name = required ? label : `${label} (optional)`;
  expect(shown?.previousElementSibling?.textContent).toBe(name);
  expect(shown?.required).toBe(required);
});

it.each(fieldNames)('%s is put back and marked by the server', (field) => {
  const shown = input(<Outcome />, field);
  expect(shown?.getAttribute('aria-invalid')).toBe(`{{${field}_invalid}}`);
  expect(shown?.getAttribute('aria-describedby')).toBe(`{{${field}_described}}`);
  expect(shown?.defaultValue).toBe(field === 'message' ? '{{body}}' : `{{${field}}}`);
});
