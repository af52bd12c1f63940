/** Every island takes over what the build made of it, and finds its words there. */
import blog from 'content:blog';
import { renderToStaticMarkup } from 'react-dom/server';
import { afterEach, expect, it, vi } from 'vitest';
import { ChatTemplate } from '../chat/chat-template.tsx';
import { Newsletter } from '../pages/blog/newsletter.tsx';
import { PostWindow } from '../pages/blog/post-window.tsx';
import { ContactIsland } from '../sections/contact-island.tsx';
import { Island } from '../ui/island.tsx';
import { hydrate } from './hydrate.tsx';
import { type IslandComponent, registry } from './registry.ts';
import { propsOf } from './words.ts';

const PostWindowIsland = () => (
  <Island name="post-window" wake="touch" component={PostWindow} words={blog.modal} props={{}} />
);

const islands = [
  ['contact-form', <ContactIsland key="" location="homepage" />, 'Send Message'],
  ['newsletter-form', <Newsletter key="" />, 'Subscribe'],
  ['post-window', <PostWindowIsland key="" />, ''],
  ['chat-button', <ChatTemplate key="" />, 'Chat with us'],
] as const;

afterEach(() => vi.restoreAllMocks());

function serve(page: React.JSX.Element): HTMLElement {
  document.body.innerHTML = renderToStaticMarkup(page).replaceAll(/<\/?template[^>]*>/g, '');
  return document.querySelector('[data-island]') as HTMLElement;
}

it.each(islands)('%s is taken over as it was served', async (name, page, shown) => {
  const host = serve(page);
  const served = host.innerHTML;
  expect(host.textContent).toContain(shown);
  const complaints = vi.spyOn(console, 'error');
  const broken = vi.fn();
  const component = (await registry[name]()) as IslandComponent;
  const end = await hydrate(host, component, broken);
  expect(broken).not.toHaveBeenCalled();
  expect(complaints).not.toHaveBeenCalled();
  expect(host.innerHTML).toBe(served);
  end();
});

it('words that are shown do not travel a second time', () => {
  const { words, ...props } = JSON.parse(
    serve(<ContactIsland location="homepage" />).dataset.props ?? '',
  );
  expect(props).toEqual({ location: 'homepage' });
  expect(words).toEqual({ sending: 'Sending...' });
});

it('shown or waiting, an island has all its words', () => {
  const { words } = propsOf(serve(<ContactIsland location="contact" />));
  expect(Object.values(words).every(Boolean)).toBe(true);
  expect(words).toMatchObject({
    submit: 'Send Message',
    sending: 'Sending...',
    optional: 'optional',
  });
  expect(words.message_hint).toMatch(/^What does your business do/);
});
