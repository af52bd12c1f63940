-- Lists that keep working: addresses that are refused, addresses from elsewhere,
-- issues that go out later.

-- The mail server's last refusal of an address for good, in which issue, and in
-- how many of them since it last took one. Suspended: left out of every issue.
ALTER TABLE subscribers ADD COLUMN refused_code TEXT;
ALTER TABLE subscribers ADD COLUMN refused_at TEXT;
ALTER TABLE subscribers ADD COLUMN refused_issue TEXT;
ALTER TABLE subscribers ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE subscribers ADD COLUMN suspended_at TEXT;

CREATE INDEX subscribers_suspended ON subscribers (created_at, id)
    WHERE suspended_at IS NOT NULL;

-- The proof of a consent that was given elsewhere: the file it came with, and
-- what that says of where.
ALTER TABLE subscribers ADD COLUMN import_file TEXT;
ALTER TABLE subscribers ADD COLUMN import_source TEXT;
ALTER TABLE past_consents ADD COLUMN import_file TEXT;
ALTER TABLE past_consents ADD COLUMN import_source TEXT;

-- Issues that a server sends at their time, as they were when that was settled:
-- their file may change or go away.
CREATE TABLE newsletter_schedules (
    issue           TEXT NOT NULL PRIMARY KEY,
    subject         TEXT NOT NULL,
    file_name       TEXT NOT NULL,
    -- Text, HTML and pictures, as JSON.
    content         TEXT NOT NULL,
    -- Mails a second; 0: as fast as the mail server takes them.
    rate            INTEGER NOT NULL,
    state           TEXT NOT NULL
        CHECK (state IN ('scheduled', 'done', 'cancelled', 'given_up')),
    send_at         TEXT NOT NULL,
    -- Runs that left somebody without it, and when the next one is due.
    attempts        INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TEXT NOT NULL,
    last_error      TEXT,
    created_at      TEXT NOT NULL,
    finished_at     TEXT,
    lease_token     TEXT,
    lease_until     TEXT
) STRICT;

CREATE INDEX newsletter_schedules_due ON newsletter_schedules (next_attempt_at)
    WHERE state = 'scheduled';
