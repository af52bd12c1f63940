-- Who asked for the newsletter, the proof of it, and who was sent what.

CREATE TABLE subscribers (
    id              TEXT NOT NULL PRIMARY KEY,
    -- Trimmed and in lower case: one person, one row.
    email           TEXT NOT NULL UNIQUE,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'confirmed', 'unsubscribed')),
    -- The proof of consent: when it was asked for, where, and in which words.
    created_at      TIMESTAMPTZ NOT NULL,
    page            TEXT,
    consent_version INTEGER NOT NULL,
    consent_text    TEXT,
    confirmed_at    TIMESTAMPTZ,
    unsubscribed_at TIMESTAMPTZ,
    -- Set: looks as if no person had asked; gets no mail.
    hold_reason     TEXT,
    -- When the last confirmation mail was called for, and how many since the
    -- last answer: the pause between two of them grows with their number.
    invited_at      TIMESTAMPTZ,
    invitations     INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX subscribers_by_time ON subscribers (created_at, id);
CREATE INDEX subscribers_by_state ON subscribers (state, id);

-- Consents that were withdrawn before the person subscribed again.
CREATE TABLE past_consents (
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    created_at      TIMESTAMPTZ NOT NULL,
    page            TEXT,
    consent_version INTEGER NOT NULL,
    consent_text    TEXT,
    confirmed_at    TIMESTAMPTZ,
    unsubscribed_at TIMESTAMPTZ
);

CREATE INDEX past_consents_by_subscriber ON past_consents (subscriber_id, created_at);

-- The links in mails. Every mail has its own and only their hashes are kept,
-- so whoever reads this table can neither confirm nor unsubscribe anybody.
CREATE TABLE mail_links (
    hash            TEXT NOT NULL PRIMARY KEY,
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    purpose         TEXT NOT NULL CHECK (purpose IN ('confirm', 'unsubscribe')),
    created_at      TIMESTAMPTZ NOT NULL,
    -- Empty: works for ever.
    expires_at      TIMESTAMPTZ,
    used_at         TIMESTAMPTZ
);

CREATE INDEX mail_links_by_subscriber ON mail_links (subscriber_id, purpose);

ALTER TABLE deliveries ADD COLUMN subscriber_id TEXT
    REFERENCES subscribers (id) ON DELETE CASCADE;

CREATE INDEX deliveries_by_subscriber ON deliveries (subscriber_id)
    WHERE subscriber_id IS NOT NULL;

-- One row for each mail of an issue that was offered to the mail server. A row
-- that stays 'offered' was cut off in the moment of handing over: it may or
-- may not have arrived.
CREATE TABLE newsletter_sends (
    issue           TEXT NOT NULL,
    subscriber_id   TEXT NOT NULL REFERENCES subscribers (id) ON DELETE CASCADE,
    state           TEXT NOT NULL CHECK (state IN ('offered', 'sent')),
    offered_at      TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (issue, subscriber_id)
);

CREATE INDEX newsletter_sends_by_subscriber ON newsletter_sends (subscriber_id);
