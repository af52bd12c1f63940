import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { frozenContent } from '../../../build/testing/content-copy.ts';
import { ContentContext } from '../../content/context.ts';
import { Page } from './page.tsx';

it('an error is shown above the packages; nothing sets one', async () => {
  const content = await frozenContent();
  const shown = (page: ReactNode) =>
    renderToStaticMarkup(<ContentContext value={content}>{page}</ContentContext>);
  expect(shown(<Page />)).not.toContain('role="alert"');
  const html = shown(<Page error="Booking is closed today." />);
  expect(html).toMatch(/role="alert"[^>]*>Booking is closed today\.<.*<article/s);
});
