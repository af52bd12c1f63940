import { navigate } from 'wouter/use-browser-location';

export const go: (path: string, options?: { replace: boolean }) => void = navigate;

export const paths = {
  inbox: '/',
  held: '/?view=held',
  lead: (id: string) => `/leads/${id}`,
  reply: (id: string) => `/leads/${id}/reply`,
  newsletter: '/newsletter',
  issues: '/newsletter/issues',
  subscribers: '/newsletter/subscribers',
  numbers: '/numbers',
  site: '/site',
  health: '/health',
};

/** The place in the inbox to return to from a lead, and the lead that was open last. */
export const lastPlace = { address: paths.inbox, lead: '' };

/** Links of the desk open without loading it anew. */
export function followLink(event: MouseEvent): void {
  const link = (event.target as Element).closest('a[href^="/"]:not([download], [target])');
  const { altKey, ctrlKey, metaKey, shiftKey } = event;
  if (!link || altKey || ctrlKey || metaKey || shiftKey) return;
  event.preventDefault();
  go(link.getAttribute('href') ?? '');
}

/** The digit keys follow this order. */
export const navigation = [
  { label: 'Inbox', path: paths.inbox, icon: 'inbox' },
  { label: 'Newsletter', path: paths.newsletter, icon: 'mail' },
  { label: 'Numbers', path: paths.numbers, icon: 'chart' },
  { label: 'Site', path: paths.site, icon: 'site' },
  { label: 'Health', path: paths.health, icon: 'health' },
] as const;
