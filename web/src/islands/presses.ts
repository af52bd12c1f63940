/**
 * Presses on islands that are not awake yet: kept, and done once they are. One
 * that does not wake in time, or at all, answers as the plain HTML it is.
 */
import { openEvent } from '../lib/events.ts';
import { isAsleep, islandAt } from './find.ts';
import { leaveAsServed, wake } from './wake.ts';

/** How long a press waits, in milliseconds. */
const patience = 3_000;

export function keepPresses() {
  document.addEventListener('submit', onSubmit, true);
  document.addEventListener('click', onClick, true);
}

async function onSubmit(event: SubmitEvent) {
  const form = event.target as HTMLFormElement;
  const host = islandAt(form);
  if (!host || !isAsleep(host)) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  // Pressed twice it is still one.
  if (form.ariaBusy) return;
  form.ariaBusy = 'true';
  await awake(host);
  form.ariaBusy = null;
  // One that broke was put back as it was served: the form is another.
  (form.isConnected ? form : host.querySelector('form'))?.requestSubmit();
}

async function onClick(event: MouseEvent) {
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-opens]');
  const host = link && islandAt(link);
  if (!host || host.dataset.state === 'plain' || !isPlainClick(event)) return;
  event.preventDefault();
  if (await awake(host)) host.dispatchEvent(new CustomEvent(openEvent, { detail: link }));
  else location.assign(link.href);
}

const isPlainClick = ({ button, altKey, ctrlKey, metaKey, shiftKey }: MouseEvent) =>
  button === 0 && !altKey && !ctrlKey && !metaKey && !shiftKey;

/** Whether the island woke in time; if not, it never will. */
async function awake(host: HTMLElement): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, patience, false));
  const woke = await Promise.race([wake(host), late]);
  if (!woke) leaveAsServed(host);
  return woke;
}
