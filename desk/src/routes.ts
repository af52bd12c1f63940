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

/** The digit keys follow this order. */
export const navigation = [
  { label: 'Inbox', path: paths.inbox, icon: 'inbox' },
  { label: 'Newsletter', path: paths.newsletter, icon: 'mail' },
  { label: 'Numbers', path: paths.numbers, icon: 'chart' },
  { label: 'Site', path: paths.site, icon: 'site' },
  { label: 'Health', path: paths.health, icon: 'health' },
] as const;
