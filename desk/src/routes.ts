/** The pages of the desk and their addresses. */
import type { IconName } from './ui/icon.tsx';

export const paths = {
  inbox: '/',
  lead: (id: string) => `/leads/${id}`,
  reply: (id: string) => `/leads/${id}/reply`,
  newsletter: '/newsletter',
  issues: '/newsletter/issues',
  subscribers: '/newsletter/subscribers',
  numbers: '/numbers',
  site: '/site',
  health: '/health',
};

/** Where one was in the inbox, to go on there after a look at a lead. */
export const lastPlace: { picked?: string | undefined; address: string } = { address: paths.inbox };

export const newsletterViews = [
  { label: 'Write', path: paths.newsletter },
  { label: 'Issues', path: paths.issues },
  { label: 'Subscribers', path: paths.subscribers },
];

interface NavigationItem {
  label: string;
  path: string;
  icon: IconName;
  /** The digit that opens it. */
  key: 1 | 2 | 3 | 4 | 5;
}

export const navigation: NavigationItem[] = [
  { label: 'Inbox', path: paths.inbox, icon: 'inbox', key: 1 },
  { label: 'Newsletter', path: paths.newsletter, icon: 'mail', key: 2 },
  { label: 'Numbers', path: paths.numbers, icon: 'chart', key: 3 },
  { label: 'Site', path: paths.site, icon: 'site', key: 4 },
  { label: 'Health', path: paths.health, icon: 'health', key: 5 },
];

/** A lead belongs to the inbox. */
export const isCurrent = ({ path }: NavigationItem, location: string): boolean =>
  path === paths.inbox
    ? location === path || location.startsWith('/leads/')
    : location.startsWith(path);
