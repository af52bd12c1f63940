-- The whole schema. {time}, {int}, {bytes} and {strict} are filled in by the
-- database at hand: a time is text of a fixed width in SQLite (it sorts), and
-- timestamptz in PostgreSQL.

CREATE TABLE contacts (
    id              TEXT NOT NULL PRIMARY KEY,
    name            TEXT NOT NULL,
    email           TEXT NOT NULL,
    phone           TEXT,
    message         TEXT NOT NULL,
    form_location   TEXT NOT NULL DEFAULT 'contact',
    created_at      {time} NOT NULL,
    -- One spelling of the address, to look people up by.
    email_key       TEXT NOT NULL,
    -- Set: kept back from delivery until released_at is set too.
    hold_reason     TEXT,
    released_at     {time},
    -- What the owner has done about it. Why it is so: docs/decisions/0017-lead-states.md.
    state           TEXT NOT NULL DEFAULT 'new'
        CHECK (state = 'new' OR state IN ('answered', 'booked', 'closed', 'spam')),
    answered_at     {time},
    note            TEXT,
    -- Set once, when the owner is reminded that the promise is nearly over.
    reminded_at     {time},
    -- One filled-in form is one row, however often it is sent.
    idempotency_key TEXT UNIQUE,
    -- The request that brought it in, as the log calls it.
    request_id      TEXT,
    -- The same for the same text, however it is spaced; empty for few words.
    text_key        TEXT,
    -- Why a held lead looks like spam, as JSON: a list of reason and weight.
    spam_reasons    TEXT,
    -- What the owner's mark has taught the spam filter: 'spam' or 'genuine', a
    -- colon, and the numbers of the words, so that exactly these can be taken back.
    spam_lesson     TEXT,
    landing_path    TEXT,
    referrer_host   TEXT,
    utm_source      TEXT,
    utm_medium      TEXT,
    utm_campaign    TEXT,
    utm_term        TEXT,
    utm_content     TEXT
){strict};

CREATE INDEX contacts_by_time ON contacts (created_at, id);
CREATE INDEX contacts_by_address ON contacts (email_key, created_at);
CREATE INDEX contacts_new ON contacts (created_at, id, hold_reason) WHERE state = 'new';
CREATE INDEX contacts_by_state ON contacts (state, created_at, id) WHERE state <> 'new';
CREATE INDEX contacts_held ON contacts (created_at, id)
    WHERE hold_reason IS NOT NULL AND released_at IS NULL AND state = 'new';
CREATE INDEX contacts_by_text ON contacts (text_key, created_at, email_key)
    WHERE text_key IS NOT NULL;
CREATE INDEX contacts_to_remind ON contacts (coalesce(released_at, created_at))
    WHERE state = 'new' AND reminded_at IS NULL
        AND (hold_reason IS NULL OR released_at IS NOT NULL);

-- Each change of a lead's state, numbered in their order.
CREATE TABLE contact_changes (
    contact_id TEXT NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
    number     {int} NOT NULL,
    state      TEXT NOT NULL,
    changed_at {time} NOT NULL,
    PRIMARY KEY (contact_id, number)
){strict};

CREATE TABLE subscribers (
    id              TEXT NOT NULL PRIMARY KEY,
    email           TEXT NOT NULL,
    -- One person, one row, however the address is spelt.
    email_key       TEXT NOT NULL UNIQUE,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'unsubscribed')),
    -- The proof of consent: when it was asked for, where, and in which words.
    created_at      {time} NOT NULL,
    page            TEXT,
    consent_version {int} NOT NULL,
    consent_text    TEXT,
    confirmed_at    {time},
    unsubscribed_at {time},
    -- Of a consent that was given elsewhere: the file it came with, and what
    -- that file says of where.
    import_file     TEXT,
    import_source   TEXT,
    -- Set: looks as if no person had asked; gets no mail.
    hold_reason     TEXT,
    -- When the last confirmation mail was called for, and how many since the
    -- last answer: the pause between two of them grows with their number.
    invited_at      {time},
    invitations     {int} NOT NULL DEFAULT 0,
    last_asked_at   {time},
    -- The mail server's last permanent refusal, in which issue, and in how many
    -- of them since it last accepted one. Suspended: left out of every issue.
    refused_code    TEXT,
    refused_at      {time},
    refused_issue   TEXT,
    refusals        {int} NOT NULL DEFAULT 0,
    suspended_at    {time}
){strict};

CREATE INDEX subscribers_by_time ON subscribers (created_at, id);
CREATE INDEX subscribers_by_state ON subscribers (state, id);
CREATE INDEX subscribers_suspended ON subscribers (created_at, id)
    WHERE suspended_at IS NOT NULL;
CREATE INDEX subscribers_refused ON subscribers (refused_at) WHERE refused_at IS NOT NULL;

-- Consents that were withdrawn before the person subscribed again.
CREATE TABLE past_consents (
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    number          {int} NOT NULL,
    created_at      {time} NOT NULL,
    page            TEXT,
    consent_version {int} NOT NULL,
    consent_text    TEXT,
    confirmed_at    {time},
    unsubscribed_at {time},
    import_file     TEXT,
    import_source   TEXT,
    PRIMARY KEY (subscriber_id, number)
){strict};

-- The links in mails. Every mail has its own and only their hashes are kept, so
-- nobody who reads this table can confirm or unsubscribe anybody.
CREATE TABLE mail_links (
    hash            TEXT NOT NULL PRIMARY KEY,
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    purpose         TEXT NOT NULL CHECK (purpose IN ('confirm', 'unsubscribe')),
    created_at      {time} NOT NULL,
    -- Empty: never expires.
    expires_at      {time},
    used_at         {time}
){strict};

CREATE INDEX mail_links_by_subscriber ON mail_links (subscriber_id, purpose);
CREATE INDEX mail_links_to_confirm ON mail_links (expires_at) WHERE purpose = 'confirm';

CREATE TABLE deliveries (
    id              TEXT NOT NULL PRIMARY KEY,
    -- Both empty for what is about neither a lead nor a subscriber.
    contact_id      TEXT REFERENCES contacts (id) ON DELETE CASCADE,
    subscriber_id   TEXT REFERENCES subscribers (id) ON DELETE CASCADE,
    kind            TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'held', 'delivered', 'given_up')),
    attempts        {int} NOT NULL DEFAULT 0,
    next_attempt_at {time},
    last_error      TEXT,
    -- Those of the owner's addresses that have it already, as JSON: a retry is
    -- for the others.
    reached         TEXT,
    -- A worker's claim: until it ends, nobody else sends this delivery.
    lease_token     TEXT,
    lease_until     {time},
    created_at      {time} NOT NULL,
    finished_at     {time}
){strict};

CREATE INDEX deliveries_due ON deliveries (kind, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_contact ON deliveries (contact_id);
CREATE INDEX deliveries_by_subscriber ON deliveries (subscriber_id)
    WHERE subscriber_id IS NOT NULL;
CREATE INDEX deliveries_by_time ON deliveries (created_at, id);
CREATE INDEX deliveries_by_state ON deliveries (state, created_at, id);
CREATE INDEX deliveries_held_notices ON deliveries (created_at) WHERE kind = 'held_notice';
CREATE UNIQUE INDEX deliveries_reminders ON deliveries (contact_id, kind)
    WHERE kind IN ('due_mail', 'due_webhook');
-- With the state in front, so that a planner prefers them to the index of all states.
CREATE INDEX deliveries_failing ON deliveries (state, kind)
    WHERE state = 'pending' AND attempts > 0;
CREATE INDEX deliveries_given_up ON deliveries (state, finished_at) WHERE state = 'given_up';
CREATE INDEX deliveries_digests ON deliveries (state, finished_at) WHERE kind = 'digest';

-- The issues that were begun, by the hash of their file.
CREATE TABLE newsletter_issues (
    id              TEXT NOT NULL PRIMARY KEY,
    subject         TEXT NOT NULL,
    file_name       TEXT NOT NULL,
    first_sent_at   {time} NOT NULL,
    -- Empty: the last run left somebody without it.
    finished_at     {time}
){strict};

-- One row for each mail of an issue that was offered to the mail server. A row
-- that stays 'offered' was cut off while it was handed over: it may or may not
-- have arrived. 'refused' is not tried again, 'deferred' is, after everybody else.
CREATE TABLE newsletter_sends (
    issue           TEXT NOT NULL,
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    state           TEXT NOT NULL CHECK (state IN ('offered', 'sent', 'refused', 'deferred')),
    offered_at      {time} NOT NULL,
    -- The mail server's codes, none of its words.
    code            TEXT,
    PRIMARY KEY (issue, subscriber_id)
){strict};

CREATE INDEX newsletter_sends_by_subscriber ON newsletter_sends (subscriber_id);
CREATE INDEX newsletter_sends_refused ON newsletter_sends (offered_at)
    WHERE state = 'refused' AND code IS NOT NULL;

-- Issues that a server sends at a set time, as they were when that was decided:
-- their file may change or go away.
CREATE TABLE newsletter_schedules (
    issue           TEXT NOT NULL PRIMARY KEY,
    subject         TEXT NOT NULL,
    file_name       TEXT NOT NULL,
    -- Text, HTML and pictures, as JSON.
    content         TEXT NOT NULL,
    -- Mails a second; 0: as fast as the mail server takes them.
    rate            {int} NOT NULL,
    state           TEXT NOT NULL
        CHECK (state IN ('scheduled', 'done', 'cancelled', 'given_up')),
    send_at         {time} NOT NULL,
    -- Runs that left somebody without it, and when the next one is due.
    attempts        {int} NOT NULL DEFAULT 0,
    next_attempt_at {time} NOT NULL,
    last_error      TEXT,
    created_at      {time} NOT NULL,
    finished_at     {time},
    lease_token     TEXT,
    lease_until     {time}
){strict};

CREATE INDEX newsletter_schedules_due ON newsletter_schedules (next_attempt_at)
    WHERE state = 'scheduled';

-- The days, by the site's zone, for which the digest is settled: one a day,
-- whichever server sends it.
CREATE TABLE digests (
    day        TEXT NOT NULL PRIMARY KEY,
    decided_at {time} NOT NULL
){strict};

CREATE TABLE channels (
    channel     TEXT NOT NULL PRIMARY KEY CHECK (channel IN ('mail', 'webhook')),
    -- Since then it has accepted nothing; empty: it works.
    failed_at   {time},
    last_error  TEXT,
    -- Something was given up of which the owner was not told yet.
    given_up_at {time},
    -- When the owner was last told over the other one.
    told_at     {time}
){strict};

INSERT INTO channels (channel) VALUES ('mail'), ('webhook');

-- In how many marked messages a word stood, by the word's number. Number -1
-- counts the messages themselves.
CREATE TABLE spam_words (
    word    {int} NOT NULL PRIMARY KEY,
    spam    {int} NOT NULL,
    genuine {int} NOT NULL
){strict};

-- The published releases of the site. The one with the highest turn is shown:
-- publishing and rolling back give the next one. Number 0, without content, is
-- the release inside the program.
CREATE TABLE releases (
    id           {int} NOT NULL PRIMARY KEY,
    checksum     TEXT NOT NULL,
    -- Of the release inside the program that published it.
    carried      TEXT NOT NULL,
    pages        {int} NOT NULL,
    bytes        {int} NOT NULL,
    published_at {time} NOT NULL,
    -- What the server itself says, as JSON; empty for the program's own release.
    facts        TEXT NOT NULL,
    turn         {int} NOT NULL,
    -- The last column: a query for the others does not read through it.
    content      {bytes}
){strict};

CREATE INDEX releases_by_turn ON releases (turn);

-- A row while nothing is sent: a restore adds it, and the owner's decision
-- about what waits removes it.
CREATE TABLE sending_pause (
    paused_at {time} NOT NULL
){strict};

-- What the store knows about itself: one row.
CREATE TABLE store_state (
    id              {int} NOT NULL PRIMARY KEY CHECK (id = 1),
    -- Tells this database from every other.
    identity        TEXT NOT NULL DEFAULT '',
    -- SQLite: a number and a random name, another one before each checkpoint, so
    -- that a journal beside a file it does not belong to is noticed; and the one before.
    generation      TEXT NOT NULL DEFAULT '',
    previous        TEXT,
    -- When a health check last wrote.
    probed_at       {time},
    -- When old records were last removed, and until when somebody is at it.
    pruned_at       {time},
    pruning_ends_at {time},
    -- Set while `frontdoor move` fills this database, from that one.
    filled_from     TEXT
){strict};

INSERT INTO store_state (id) VALUES (1);
