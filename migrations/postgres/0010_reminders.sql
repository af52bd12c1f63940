-- What the owner is told unasked: leads that are due, the day's digest, and
-- receivers that fail. Why it is so: docs/decisions/0019-reminders.md.

-- Set once, whatever becomes of the lead and of its deliveries afterwards.
ALTER TABLE contacts ADD COLUMN reminded_at TIMESTAMPTZ;

CREATE INDEX contacts_to_remind ON contacts (coalesce(released_at, created_at))
    WHERE state = 'new' AND reminded_at IS NULL
        AND (hold_reason IS NULL OR released_at IS NOT NULL);

CREATE UNIQUE INDEX deliveries_reminders ON deliveries (contact_id, kind)
    WHERE kind IN ('due_mail', 'due_webhook');

-- Those of the owner's addresses that have it already, as JSON: a retry is for
-- the others.
ALTER TABLE deliveries ADD COLUMN reached TEXT;

-- With the state in front, so that a planner prefers them to the index of all states.
CREATE INDEX deliveries_failing ON deliveries (state, kind) WHERE state = 'pending' AND attempts > 0;
CREATE INDEX deliveries_given_up ON deliveries (state, finished_at) WHERE state = 'given_up';
CREATE INDEX deliveries_digests ON deliveries (state, finished_at) WHERE kind = 'digest';
CREATE INDEX subscribers_refused ON subscribers (refused_at) WHERE refused_at IS NOT NULL;

-- The days, by the site's zone, for which it is settled whether there is
-- something to say: one digest a day, whoever sends it.
CREATE TABLE digests (
    day        TEXT NOT NULL PRIMARY KEY,
    decided_at TIMESTAMPTZ NOT NULL
);

CREATE TABLE channels (
    channel     TEXT NOT NULL PRIMARY KEY CHECK (channel IN ('mail', 'webhook')),
    -- Since then it has taken nothing; empty: it works.
    failed_at   TIMESTAMPTZ,
    last_error  TEXT,
    -- Something was given up of which the owner was not told yet.
    given_up_at TIMESTAMPTZ,
    -- When the owner was last told over the other one.
    told_at     TIMESTAMPTZ
);

INSERT INTO channels (channel) VALUES ('mail'), ('webhook');
