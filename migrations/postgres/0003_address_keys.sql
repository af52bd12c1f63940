-- One spelling of every address to look people up by.

ALTER TABLE contacts ADD COLUMN email_key TEXT NOT NULL DEFAULT '';
ALTER TABLE subscribers ADD COLUMN email_key TEXT NOT NULL DEFAULT '';

CREATE INDEX contacts_by_address ON contacts (email_key, created_at);
-- Rows that were there before us, or are inserted past us, have no key.
CREATE INDEX contacts_by_old_address ON contacts (lower(btrim(email))) WHERE email_key = '';
CREATE UNIQUE INDEX subscribers_by_address ON subscribers (email_key);

-- What the store knows about itself: one row.
CREATE TABLE store_state (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- When a health check last wrote.
    probed_at  TIMESTAMPTZ
);

INSERT INTO store_state (id) VALUES (1);
