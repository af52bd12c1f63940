// The answers of `/api/desk/…`, written from the structs in `src/desk`: UPDATE_TYPES=1 cargo test the_types_of_the_desk
// Times are RFC 3339 in UTC.

export type AnswerTimes = {
  promise_hours: number;
  /** The newest first. */
  hours: Array<number>;
  median_hours: number | null;
  answered: number;
  before: PromisesKept;
  in_time: number;
  of: number;
};

export type BackupState = {
  folder: string;
  last: string | null;
};

export type BookedCall = {
  /** The id of its lead. */
  lead: string;
  name: string;
  at: string;
  matched_by: MatchedBy;
  service: BookingService;
};

export type BookingService = "cal" | "calendly";

export type DayFigures = {
  day: string;
  requested: number;
  seen: number;
  form_started: number;
  leads: number;
  answered: number;
  booked: number;
  booking_presses: number;
};

export type DeliveryRow = {
  id: string;
  what: string;
  summary: string;
  at: string | null;
  failing: boolean;
  can_retry: boolean;
};

export type Done = {
  message: string;
  undo: Undo | null;
  next: string | null;
};

export type EarlierMessage = {
  id: string;
  created_at: string;
  excerpt: string;
  outcome: string;
};

export type Figures = {
  requested: number;
  seen: number;
  form_started: number;
  leads: number;
  answered: number;
  booked: number;
  booking_presses: number;
};

export type Finding = {
  /** The thing. */
  check: string;
  state: FindingState;
  what: string;
  /** May be empty. */
  remedy: string;
};

export type FindingState = "good" | "unsure" | "bad";

export type FirstStep = {
  name: string;
  what: string;
  done: boolean;
  optional: boolean;
  part: Part | null;
  link: string | null;
  command: string | null;
};

export type Growth = {
  /** `2026-11` */
  month: string;
  confirmed: number;
};

export type Health = {
  findings: Array<Finding>;
  /** Empty once all are done. */
  first_steps: Array<FirstStep>;
  /** The deliveries that fail. */
  deliveries: Array<DeliveryRow>;
  /** Nothing if they are off. */
  backups: BackupState | null;
  sessions: Array<SessionRow>;
  settings: Array<SettingRow>;
};

export type HistoryEntry = {
  at: string;
  who: string | null;
  what: string;
};

export type Inbox = {
  now: string;
  counts: InboxCounts;
  leads: Array<LeadRow>;
  after: string | null;
  people: Array<Presence>;
  /** Booked for today. */
  calls: Array<BookedCall>;
};

export type InboxCounts = {
  waiting: number;
  answered: number;
  booked: number;
  closed: number;
  all: number;
  held: number;
  spam: number;
  late: number;
  due: number;
};

export type InboxView = "waiting" | "answered" | "booked" | "closed" | "all" | "held" | "spam";

export type IssueDraft = {
  text: string;
  kept_at: string | null;
  tested_at: string | null;
};

export type IssuePreview = {
  words: number;
  problem: string | null;
  subject: string;
  url: string;
};

export type IssueRow = {
  state: IssueState;
  refusals: Array<RefusingSubscriber>;
  send_at: string | null;
  first_sent_at: string | null;
  finished_at: string | null;
  /** Why the last run didn't reach every recipient. */
  last_error: string | null;
  sent: number;
  refused: number;
  /** Mails that may have arrived. */
  unsure: number;
  /** Subscribers who are still to get it. */
  left: number;
  /** The hash of its file. */
  id: string;
  subject: string;
  file_name: string;
};

export type IssueState = "scheduled" | "sending" | "paused" | "done" | "unfinished" | "cancelled" | "given_up";

export type KeptDraft = {
  kept_at: string;
};

export type LeadPage = {
  lead: WholeLead;
  position: Position | null;
  before: Array<EarlierMessage>;
  subscriber: SubscriberRow | null;
  spam: SpamVerdict;
  deliveries: Array<DeliveryRow>;
  history: Array<HistoryEntry>;
  reply: ReplyDraft;
};

export type LeadRow = {
  id: string;
  short_id: string;
  name: string;
  email: string;
  excerpt: string;
  source: string;
  created_at: string;
  due_at: string | null;
  /** From when it counts as due: a sixth of the promised time is left. */
  due_soon_at: string | null;
  state: LeadState;
  held: boolean;
  hold_reason: string | null;
  note: string | null;
  seen: boolean;
  /** A reply to it is being written. */
  has_draft: boolean;
  outcome: string | null;
};

export type LeadState = "new" | "answered" | "booked" | "closed" | "spam";

export type LeavingIssue = {
  id: string;
  leaves_at: string;
  message: string;
};

export type LeavingReply = {
  id: string;
  text: string;
  leaves_at: string;
};

export type MatchedBy = "token" | "address" | "booking";

export type Me = {
  name: string;
  site: MySite;
  promise_hours: number;
  can_mail: boolean;
  version: string;
};

export type Message = {
  message: string;
};

export type MySite = {
  name: string;
  url: string;
  zone: string;
  email: string;
  booking_url: string;
};

export type NamedFigures = {
  name: string;
  requested: number;
  seen: number;
  form_started: number;
  leads: number;
  answered: number;
  booked: number;
  booking_presses: number;
};

export type Newsletter = {
  /** The issue that is being written here. */
  draft: IssueDraft;
  tested_text_is_current: boolean;
  counts: SubscriberCounts;
  gained_in_30_days: number;
  growth: Array<Growth>;
  suspended: Array<SubscriberRow>;
  issues: Array<IssueRow>;
};

export type Numbers = {
  counting: boolean;
  answers: AnswerTimes;
  subscribers: SubscriberGrowth;
  days: number;
  from: string;
  to: string;
  totals: Figures;
  before: Figures;
  by_day: Array<DayFigures>;
  by_source: Array<NamedFigures>;
  by_page: Array<NamedFigures>;
  by_campaign: Array<NamedFigures>;
};

export type Part = "mail" | "webhook" | "backup";

export type Position = {
  number: number;
  of: number;
  previous: string | null;
  next: string | null;
};

export type Presence = {
  id: string;
  name: string;
  this_browser: boolean;
  writing_to: WritingTo | null;
};

export type Preview = {
  subject: string;
  url: string;
};

export type PromisesKept = {
  in_time: number;
  of: number;
};

export type ProofLine = {
  label: string;
  value: string;
};

export type RefusingSubscriber = {
  email: string;
  /** The mail server's codes. */
  code: string;
};

export type ReleaseChanges = {
  added: Array<string>;
  removed: Array<string>;
  changed: Array<string>;
};

export type ReleaseRow = {
  id: number;
  /** `None` for the built-in release. */
  published_at: string | null;
  who: string | null;
  shown: boolean;
  pages: number;
  bytes: number;
  /** Against the release before. */
  changes: ReleaseChanges | null;
};

export type ReplyDraft = {
  subject: string;
  from: string;
  bcc: boolean;
  text: string;
  is_draft: boolean;
  saved: Array<SavedReply>;
  leaving: LeavingReply | null;
  /** The owner has yet to resume sending after a restore. */
  is_paused: boolean;
};

export type RolledBack = {
  message: string;
  /** The release that was shown before. */
  undo: number;
};

export type SavedReply = {
  name: string;
  text: string;
};

export type SessionRow = {
  this_browser: boolean;
  id: string;
  /** The name given to the link that signed it in. */
  name: string;
  created_at: string;
  used_at: string;
};

export type SettingRow = {
  name: string;
  group: string;
  value: string;
  from: string;
};

export type SpamVerdict = {
  verdict: string;
  score: number;
  held_from: number;
  reasons: Array<string>;
};

export type SubscriberCounts = {
  /** Suspended ones included. */
  confirmed: number;
  pending: number;
  unsubscribed: number;
  suspended: number;
};

export type SubscriberGrowth = {
  confirmed: number;
  /** More (or fewer) than at the beginning of the period. */
  more: number;
  points: Array<Growth>;
};

export type SubscriberRow = {
  id: string;
  email: string;
  state: string;
  since: string;
  refusal: string | null;
  suspended: boolean;
};

export type Subscribers = {
  subscribers: Array<SubscriberRow>;
  after: string | null;
};

export type Summary = {
  promises: PromisesKept;
  /** The number of days that `promises` are about. */
  days: number;
  faults: number;
};

export type Undo = {
  lead: string;
  number: number;
};

export type WholeLead = {
  message: string;
  phone: string | null;
  form: string;
  origin: string | null;
  landing_path: string | null;
  campaign: string | null;
  id: string;
  short_id: string;
  name: string;
  email: string;
  excerpt: string;
  source: string;
  created_at: string;
  due_at: string | null;
  /** From when it counts as due: a sixth of the promised time is left. */
  due_soon_at: string | null;
  state: LeadState;
  held: boolean;
  hold_reason: string | null;
  note: string | null;
  seen: boolean;
  /** A reply to it is being written. */
  has_draft: boolean;
  outcome: string | null;
};

export type WritingTo = {
  id: string;
  name: string;
};
