-- One spelling of every address to look people up by; the program fills it in
-- (src/store/sqlite/address_keys.rs) and then makes the key of a subscriber
-- unique.

ALTER TABLE contacts ADD COLUMN email_key TEXT NOT NULL DEFAULT '';
ALTER TABLE subscribers ADD COLUMN email_key TEXT NOT NULL DEFAULT '';

DROP INDEX contacts_by_email;
CREATE INDEX contacts_by_address ON contacts (email_key, created_at);
-- For looking up. What makes the key unique leaves out rows without one, which
-- an older server may still add, and an index that does so finds nobody.
CREATE INDEX subscribers_by_address ON subscribers (email_key);

-- What the store knows about itself: one row.
CREATE TABLE store_state (
    id         INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- A number and a random name. Changes each time the journal is folded into the file, so that a journal
    -- beside a file to which it does not belong is noticed.
    generation TEXT NOT NULL,
    -- Those before, oldest first, with commas between them, while the folding
    -- is not known to have succeeded.
    previous   TEXT,
    -- When a health check last wrote.
    probed_at  TEXT
) STRICT;

INSERT INTO store_state (id, generation) VALUES (1, '0000000000-' || lower(hex(randomblob(11))));
