import { renderToStaticMarkup } from 'react-dom/server';
import { expect, it } from 'vitest';
import { Page } from './page.tsx';

it('has room for an error above the packages, which nothing sets', () => {
  expect(renderToStaticMarkup(<Page />)).not.toContain('role="alert"');
  const html = renderToStaticMarkup(<Page error="Booking is closed today." />);
  expect(html).toMatch(/role="alert"[^>]*>Booking is closed today\.<.*<article/s);
});
