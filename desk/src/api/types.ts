// The answers of `/api/desk/…`, whose routes are in `src/desk/mod.rs`. Times are RFC 3339 in UTC.

export type Time = string;
export type LeadState = 'new' | 'answered' | 'booked' | 'closed' | 'spam';
export type InboxView = 'waiting' | 'answered' | 'booked' | 'closed' | 'all' | 'held' | 'spam';

export interface Me {
  name: string; // "Anna"; "you" when the link had no name
  session: string; // id of this session
  site: { name: string; url: string; zone: string; email: string; booking_url: string | null };
  promise_hours: number;
  can_mail: boolean; // a mail server is set up
  version: string;
}

export interface Inbox {
  now: Time; // the server's clock
  counts: Record<InboxView, number> & { late: number; due: number };
  leads: LeadRow[]; // waiting: by due time; others: newest first; in view=waiting the leads done in the last 7 days follow (state ≠ new)
  after: string | null; // cursor of the next page
  people: Presence[];
  calls: Call[]; // booked for today in the site's zone, earliest first
}
export interface Call {
  lead: string;
  name: string;
  at: Time;
}
export interface LeadRow {
  id: string;
  short_id: string; // last eight characters, as the command line shows it
  name: string;
  email: string;
  excerpt: string; // at most 200 characters; begins near the match of a search
  source: string; // "google.com", a campaign, or "Direct"
  created_at: Time;
  due_at: Time | null;
  answered_at: Time | null;
  state: LeadState;
  held: boolean;
  hold_reason: string | null; // a sentence
  note: string | null;
  outcome: string | null; // a sentence for what is done: "Call today at 11:30, matched by the address"
  seen: boolean; // somebody has opened it at the desk
}
/** Who else is signed in right now. */
export interface Presence {
  name: string;
  this_browser: boolean;
  writing_to: { id: string; name: string } | null;
}

export interface Summary {
  promise: { kept: number; of: number; days: number };
  faults: number; // what the health page shows as broken
}

export interface LeadPage {
  lead: LeadRow & {
    message: string;
    phone: string | null;
    form: string;
    landing_path: string | null;
    campaign: string | null;
  };
  position: { number: number; of: number; previous: string | null; next: string | null } | null; // among those waiting
  before: EarlierMessage[]; // what the person sent before, newest first
  subscriber: { id: string; state: string; since: Time } | null;
  spam: { verdict: string; score: number; held_from: number; reasons: string[] }; // sentences
  deliveries: DeliveryRow[];
  history: HistoryEntry[]; // newest first
  reply: ReplyDraft;
}
export interface EarlierMessage {
  id: string;
  created_at: Time;
  excerpt: string;
  outcome: string;
}
export interface DeliveryRow {
  id: string;
  what: string; // "Thank-you", "To you", "Webhook", "Your reply"
  says: string; // a sentence
  at: Time | null;
  state: 'pending' | 'held' | 'delivered' | 'given_up';
  failing: boolean;
  can_retry: boolean;
}
export interface HistoryEntry {
  at: Time;
  who: string | null;
  what: string;
}
export interface ReplyDraft {
  subject: string;
  from: string;
  bcc: boolean;
  text: string; // the kept draft, or the greeting
  is_draft: boolean;
  saved: { name: string; text: string }[]; // saved replies from content/
  leaving: { id: string; leaves_at: Time } | null; // a reply that can still be called back
}

export interface Done {
  said: string; // "Grace Murray is answered."
  undo: { lead: string; number: number } | null; // POST /api/desk/undo with it, within ten seconds; 409 when something else happened since
  next: string | null; // the next waiting lead
}
export interface Preview {
  subject: string;
  url: string; // the mail as HTML, kept for some minutes; ?scheme=light or dark
}

export interface Newsletter {
  draft: {
    text: string;
    kept_at: Time | null;
    tested_at: Time | null;
    tested_text_is_current: boolean;
  };
  counts: {
    confirmed: number;
    pending: number;
    unsubscribed: number;
    suspended: number;
    more_than_30_days_ago: number;
  };
  growth: { month: string; confirmed: number }[]; // twelve months
  suspended: SubscriberRow[];
  issues: IssueRow[]; // newest first, running one first
  posts: { title: string; text: string }[]; // to begin from
}
export interface SubscriberRow {
  id: string;
  email: string;
  state: string;
  since: Time;
  says: string | null;
  suspended: boolean;
}
export interface IssueRow {
  id: string;
  subject: string;
  state: 'scheduled' | 'sending' | 'paused' | 'done' | 'cancelled' | 'given_up';
  at: Time | null;
  sent: number;
  refused: number;
  unsure: number;
  left: number;
  refusals: { email: string; says: string }[];
  says: string | null;
}
export interface IssuePreview extends Preview {
  words: number;
  problem: string | null;
}
export interface Subscribers {
  subscribers: SubscriberRow[];
  after: string | null;
}
export interface Proof {
  lines: { label: string; value: string }[];
}

export interface Counts {
  requested: number; // pages requested from outside, without programs
  seen: number; // pages that were in view for some seconds
  form_started: number;
  leads: number;
  answered: number;
  booked: number;
  booking_presses: number;
}
export interface NamedCounts extends Counts {
  name: string; // "" is not told; "other" is all beyond the number of names that are kept
}
export interface Numbers {
  days: number;
  from: string; // days of the site's zone, both counted
  to: string;
  counting: boolean; // FRONTDOOR_COUNT is not off
  totals: Counts;
  before: Counts; // as many days before
  by_day: (Counts & { day: string })[]; // all of them, the earliest first
  by_source: NamedCounts[];
  by_page: NamedCounts[];
  by_campaign: NamedCounts[];
  answers: {
    promise_hours: number;
    hours: number[];
    median_hours: number | null;
    in_time: number;
    answered: number;
    before: { in_time: number; answered: number };
  };
  subscribers: { confirmed: number; more: number; points: Newsletter['growth'] };
}

export interface Site {
  releases: Release[]; // newest first
}
export interface Release {
  id: number; // 0: the pages inside the program
  published_at: Time;
  who: string | null;
  shown: boolean;
  pages: number;
  bytes: number;
  changes: { added: string[]; removed: string[]; changed: string[] } | null; // against the release before
}

export interface Health {
  findings: { state: 'ok' | 'warning' | 'fault'; what: string; remedy: string | null }[];
  first_steps: { done: boolean; what: string; command: string | null }[]; // "before you go live"; empty when all is done
  deliveries: DeliveryRow[]; // failing
  backups: { folder: string | null; last: Time | null; size: number | null };
  sessions: { id: string; name: string; created_at: Time; used_at: Time; this_browser: boolean }[];
  settings: { name: string; value: string; from: string }[];
}
