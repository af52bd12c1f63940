/**
 * Wakes islands, each once. One that cannot wake, or breaks later, is put back as it was served, with what was typed into
 * it: its forms and links work by themselves, and the rest of the page isn't affected.
 */
import type { IslandName } from '../ui/island.tsx';
import type { IslandComponent } from './hydrate.tsx';

/** Each island's component, fetched when it wakes. */
export const registry: Record<IslandName, () => Promise<unknown>> = {
  'contact-form': async () => (await import('../sections/contact-form.tsx')).ContactForm,
  'newsletter-form': async () => (await import('../sections/newsletter-form.tsx')).NewsletterForm,
  'post-window': async () => (await import('../pages/blog/post-window.tsx')).PostWindow,
  'chat-button': async () => (await import('../chat/chat-button.tsx')).ChatButton,
};

const waking = new WeakMap<HTMLElement, Promise<boolean>>();

/** Returns whether it woke. */
export function wake(host: HTMLElement): Promise<boolean> {
  const result = waking.get(host) ?? start(host);
  waking.set(host, result);
  return result;
}

/** The island stays plain HTML from now on. */
export function leaveAsServed(host: HTMLElement) {
  host.dataset.state = 'plain';
  for (const form of host.querySelectorAll('form')) form.noValidate = false;
}

/** Called when the visitor leaves the page. */
const unmounts = new WeakMap<HTMLElement, () => void>();
export const unmountIsland = (host: HTMLElement) => unmounts.get(host)?.();

async function start(host: HTMLElement): Promise<boolean> {
  const name = host.dataset.island as IslandName;
  const served = [...host.childNodes].map((node) => node.cloneNode(true));
  const restoreInput = keepInput(host);
  const onError = (error: unknown) => {
    console.error(error);
    host.replaceChildren(...served);
    restoreInput();
    leaveAsServed(host);
  };
  try {
    const [{ hydrate }, component] = await Promise.all([import('./hydrate.tsx'), registry[name]()]);
    await nextTask();
    if (host.dataset.state === 'plain' || !host.isConnected) return false;
    unmounts.set(host, await hydrate(host, component as IslandComponent, onError));
    host.dataset.state = 'awake';
    return true;
  } catch (error) {
    // An error that React caught is already in the console.
    if (host.dataset.state !== 'plain') {
      console.error(error);
      leaveAsServed(host);
    }
    return false;
  }
}

const inputs = 'input:not([type=hidden]), textarea';
type Input = HTMLInputElement | HTMLTextAreaElement;

/** Remembers what is typed from now on; returns a function that puts it into the fields of the same names. */
function keepInput(host: HTMLElement): () => void {
  const typed = new Map<string, string>();
  const remember = () => {
    for (const { name, value } of host.querySelectorAll<Input>(inputs)) typed.set(name, value);
  };
  remember();
  host.addEventListener('input', remember);
  return () => {
    for (const input of host.querySelectorAll<Input>(inputs))
      input.value = typed.get(input.name) ?? '';
  };
}

/** Parsing the files and hydrating become separate tasks, so that neither blocks the page for long. */
function nextTask(): Promise<unknown> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((next) => {
    port1.onmessage = next;
    port2.postMessage(undefined);
  });
}
