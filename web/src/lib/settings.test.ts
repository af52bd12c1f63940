import { afterEach, expect, it } from 'vitest';
import { readSettings } from './settings.ts';

afterEach(() => {
  document.head.innerHTML = '';
});

it('are read from the tag as the server writes it, escaped', () => {
  document.head.innerHTML =
    '<meta name="settings" content="&#123;&quot;chat&quot;:&#123;&quot;project&quot;:&quot;p-1&quot;,' +
    '&quot;script&quot;:&quot;https://cdn.example/b.mjs?a=1&amp;b=2&quot;,' +
    '&quot;runtime&quot;:&quot;https://runtime.example&quot;,&quot;load&quot;:&quot;click&quot;}}">';
  expect(readSettings().chat).toEqual({
    project: 'p-1',
    script: 'https://cdn.example/b.mjs?a=1&b=2',
    runtime: 'https://runtime.example',
    load: 'click',
  });
});

it('are empty on a page without the tag', () => {
  expect(readSettings()).toEqual({});
});
