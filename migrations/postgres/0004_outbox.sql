-- What holds under the owner's mistakes and a clock that is set back.

-- When the next attempt was planned: its pause can be told from it even after
-- the clock was set back. Empty: when the delivery was stored.
ALTER TABLE deliveries ADD COLUMN planned_at TIMESTAMPTZ;

-- The owner is told of held leads now and then, not of each one.
CREATE INDEX deliveries_held_notices ON deliveries (created_at) WHERE kind = 'held_notice';

-- Written on every request for the newsletter, so that a known address costs
-- as much as a new one.
ALTER TABLE subscribers ADD COLUMN last_asked_at TIMESTAMPTZ;

-- The issues that were begun, by the hash of their file.
CREATE TABLE newsletter_issues (
    id              TEXT NOT NULL PRIMARY KEY,
    subject         TEXT NOT NULL,
    file_name       TEXT NOT NULL,
    first_sent_at   TIMESTAMPTZ NOT NULL,
    -- Empty: the last run left somebody without it.
    finished_at     TIMESTAMPTZ
);

-- One row for each mail of an issue that was offered to the mail server. A row
-- that stays 'offered' was cut off in the moment of handing over: it may or
-- may not have arrived. 'refused' is not tried again, 'deferred' is, after
-- everybody else.
CREATE TABLE newsletter_sends_next (
    issue           TEXT NOT NULL,
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    state           TEXT NOT NULL CHECK (state IN ('offered', 'sent', 'refused', 'deferred')),
    offered_at      TIMESTAMPTZ NOT NULL,
    -- The mail server's codes, none of its words.
    code            TEXT,
    PRIMARY KEY (issue, subscriber_id)
);

INSERT INTO newsletter_sends_next (issue, subscriber_id, state, offered_at)
    SELECT issue, subscriber_id, state, offered_at FROM newsletter_sends;
DROP TABLE newsletter_sends;
ALTER TABLE newsletter_sends_next RENAME TO newsletter_sends;

CREATE INDEX newsletter_sends_by_subscriber ON newsletter_sends (subscriber_id);
