/**
 * Every island takes over its own HTML, and none before it is touched.
 * @vitest-environment happy-dom
 */
import type { ReactNode } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { frozenContent } from '../../build/testing/content-copy.ts';
import { ChatTemplate } from '../app.tsx';
import { ContentContext } from '../content/context.ts';
import type { Content } from '../content/types.ts';
import { PostWindow } from '../pages/blog/post-window.tsx';
import { ContactIsland, NewsletterIsland } from '../sections/form-islands.tsx';
import { Island } from '../ui/island.tsx';
import { hydrate, type IslandComponent } from './hydrate.tsx';
import { wakeOnTouch } from './triggers.ts';
import { registry } from './wake.ts';

let content: Content;
beforeAll(async () => {
  content = await frozenContent();
  wakeOnTouch();
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function serve(page: ReactNode): HTMLElement {
  const html = renderToStaticMarkup(<ContentContext value={content}>{page}</ContentContext>);
  document.body.innerHTML = html.replaceAll(/<\/?template[^>]*>/g, '');
  return document.querySelector('[data-island]') as HTMLElement;
}

const PostWindowIsland = () => (
  <Island name="post-window" component={PostWindow} props={{ words: content.pages.blog.modal }} />
);

it.each([
  ['contact-form', <ContactIsland key="" location="homepage" />, 'Send Message'],
  ['newsletter-form', <NewsletterIsland key="" />, 'Subscribe'],
  ['post-window', <PostWindowIsland key="" />, ''],
  ['chat-button', <ChatTemplate key="" />, 'Chat with us'],
] as const)('%s takes over its HTML unchanged', async (name, page, shown) => {
  const host = serve(page);
  const served = host.innerHTML;
  expect(host.textContent).toContain(shown);
  const errors = vi.spyOn(console, 'error');
  const broken = vi.fn();
  const component = (await registry[name]()) as IslandComponent;
  const unmount = await hydrate(host, component, broken);
  expect(broken).not.toHaveBeenCalled();
  expect(errors).not.toHaveBeenCalled();
  expect(host.innerHTML).toBe(served);
  unmount();
});

function watchedForm() {
  vi.useFakeTimers();
  const woken = vi.spyOn(registry, 'contact-form').mockReturnValue(new Promise(() => {}));
  const form = serve(<ContactIsland location="contact" />).querySelector('form') as HTMLElement;
  const touch = (type: string, pointerType = '') =>
    form.dispatchEvent(Object.assign(new Event(type, { bubbles: true }), { pointerType }));
  return { woken, touch };
}

it('an island wakes when the visitor pauses, so that typing is not held up', () => {
  const { woken, touch } = watchedForm();
  touch('pointerdown');
  touch('focusin');
  vi.advanceTimersByTime(199);
  touch('keydown');
  vi.advanceTimersByTime(199);
  expect(woken).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(woken).toHaveBeenCalledOnce();
});

it.each([
  ['mouse', 1],
  ['touch', 0],
])('a hovering %s wakes it at once: %i', (pointerType, times) => {
  const { woken, touch } = watchedForm();
  touch('pointerover', pointerType);
  vi.advanceTimersByTime(0);
  expect(woken).toHaveBeenCalledTimes(times);
});
