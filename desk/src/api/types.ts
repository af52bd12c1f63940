// The shapes of `/api/desk/…`. Will be generated from the Rust structs (ts-rs); until then this file is the contract.
// Times are RFC 3339 in UTC. Every answer that fails is application/problem+json {status, title, detail}.

export type Time = string;
export type LeadState = 'new' | 'answered' | 'booked' | 'closed' | 'spam';
export type InboxView = 'waiting' | 'answered' | 'booked' | 'closed' | 'all' | 'held' | 'spam';

/** GET /api/desk/me (401 without a session) */
export interface Me {
  name: string; // "Anna"; "you" when the link had no name
  session: string; // id of this session
  site: { name: string; url: string; zone: string; email: string; booking_url: string | null };
  promise_hours: number;
  can_mail: boolean; // a mail server is set up
  version: string;
}

/** POST /api/desk/sign-in {token} → 204 + cookie; 410 when used, expired or unknown.
 *  POST /api/desk/sign-in/mail {email} → 202, always the same answer; 404 where mail is off
 *  POST /api/desk/sign-out → 204 */

/** GET /api/desk/inbox?view=&q=&after= */
export interface Inbox {
  now: Time; // the server's clock
  counts: Record<InboxView, number> & { late: number; due: number };
  leads: LeadRow[]; // waiting: by due time; others: newest first; in view=waiting the leads done in the last 7 days follow (state ≠ new)
  after: string | null; // cursor of the next page
  people: Presence[];
  calls: Call[]; // booked for today in the site's zone, earliest first; empty where bookings are not known
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
  outcome: string | null; // a sentence for what is done: "Call today at 11:30, matched by her address."
  seen: boolean; // somebody has opened it at the desk
}
/** Who else is signed in right now. */
export interface Presence {
  name: string;
  this_browser: boolean;
  writing_to: { id: string; name: string } | null;
}

/** GET /api/desk/summary: asked once a minute */
export interface Summary {
  promise: { kept: number; of: number; days: number };
  faults: number; // what the health page shows as broken
}

/** GET /api/desk/leads/{id} */
export interface LeadPage {
  lead: LeadRow & {
    message: string;
    phone: string | null;
    form: string;
    landing_path: string | null;
    campaign: string | null;
  };
  position: { number: number; of: number; previous: string | null; next: string | null }; // among those waiting
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

/** POST /api/desk/leads/{id}/state {state, from} → Done. 409 when another browser changed it meanwhile: `from` is no longer its state */
/** POST /api/desk/leads/{id}/note {note} → Done */
/** POST /api/desk/leads/{id}/release → Done (not spam: held deliveries go; a lead marked as spam waits again) */
export interface Done {
  said: string; // "Grace Murray is answered."
  undo: { lead: string; number: number } | null; // POST /api/desk/undo with it, within ten seconds; 409 when something else happened since
  next: string | null; // the next waiting lead
}
/** POST /api/desk/undo {lead, number} → {said} */
/** POST /api/desk/leads/{id}/seen → 204 · POST /api/desk/leads/{id}/writing {writing: boolean} → 204 (repeat every 10 s) */
/** PUT /api/desk/leads/{id}/reply {text} → 204: keep the draft */
/** POST /api/desk/leads/{id}/reply/preview {text, booking, quote} → Preview */
export interface Preview {
  subject: string;
  url: string; // /api/desk/preview/{id}: the mail as HTML for a sandboxed frame, with a content policy of its own, kept for some minutes;
  // the desk adds ?scheme=light or dark, and the server then answers as if the reader's system wished for that
}
/** POST /api/desk/leads/{id}/reply {text, booking, quote} → {id, leaves_at, said} */
/** POST /api/desk/replies/{id}/call-back → {text} ; 410 when it has left */
/** POST /api/desk/deliveries/{id}/retry → {said} */
/** POST /api/desk/leads/{id}/forget {email} → {said}; 422 when the address differs */
/** GET /api/desk/export.csv?view=&q= → a download */

/** GET /api/desk/newsletter */
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
/** PUT /api/desk/newsletter/draft {text} → {kept_at} · POST /api/desk/newsletter/preview {text} → IssuePreview
 *  POST /api/desk/newsletter/test {text} → {said} · POST /api/desk/newsletter/send {text, at: string|null} → {said}
 *  POST /api/desk/newsletter/issues/{id}/pause|resume|cancel → {said}
 *  GET /api/desk/subscribers?q=&after= → {subscribers: SubscriberRow[], after} · POST /api/desk/subscribers/{id}/resume → {said}
 *  GET /api/desk/subscribers/{id}/proof → Proof */
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

/** GET /api/desk/site */
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
/** POST /api/desk/site/roll-back {to} → {said, undo: number} */

/** GET /api/desk/health */
export interface Health {
  findings: { state: 'ok' | 'warning' | 'fault'; what: string; remedy: string | null }[];
  first_steps: { done: boolean; what: string; command: string | null }[]; // "before you go live"; empty when all is done
  deliveries: DeliveryRow[]; // failing
  backups: { folder: string | null; last: Time | null; size: number | null };
  sessions: { id: string; name: string; created_at: Time; used_at: Time; this_browser: boolean }[];
  settings: { name: string; value: string; from: string }[];
}
/** POST /api/desk/sessions/{id}/revoke → 204 */
