-- What the owner has done about a lead, since when, and what the owner noted.
-- Why it is so: docs/decisions/0017-lead-states.md.

-- The first word by itself: to look a word up in a list costs a tenth of what it
-- takes to store a lead.
ALTER TABLE contacts ADD COLUMN state TEXT NOT NULL DEFAULT 'new'
    CHECK (state = 'new' OR state IN ('new', 'answered', 'booked', 'closed', 'spam'));
ALTER TABLE contacts ADD COLUMN answered_at TEXT;
ALTER TABLE contacts ADD COLUMN note TEXT;

-- Whoever has waited longer than the site promises was answered before there
-- were states. What is held waits for the owner, however long.
UPDATE contacts SET state = 'closed'
    WHERE coalesce(released_at, created_at) <= strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-24 hours')
        AND (hold_reason IS NULL OR released_at IS NOT NULL);

-- Each change, the latest last.
CREATE TABLE contact_changes (
    contact_id TEXT NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
    state      TEXT NOT NULL,
    changed_at TEXT NOT NULL
) STRICT;

CREATE INDEX contact_changes_by_contact ON contact_changes (contact_id, changed_at);

-- Whether it is held stands in the index too: who waits is found in it without a
-- look at every lead that is held.
CREATE INDEX contacts_new ON contacts (created_at, id, hold_reason) WHERE state = 'new';
CREATE INDEX contacts_released ON contacts (released_at, id)
    WHERE state = 'new' AND released_at IS NOT NULL;
CREATE INDEX contacts_by_state ON contacts (state, created_at, id) WHERE state <> 'new';
-- What waits for a release: of what is spam, the owner has decided.
CREATE INDEX contacts_to_release ON contacts (created_at, id)
    WHERE hold_reason IS NOT NULL AND released_at IS NULL AND state = 'new';
DROP INDEX contacts_held;

-- The words of leads, to be searched. Filled when the owner searches, so that no
-- visitor waits for it (src/store/sqlite/search.rs).
CREATE TABLE search_state (
    id          INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    -- The rows of contacts up to this one are in.
    searched_to INTEGER NOT NULL
) STRICT;

INSERT INTO search_state (id, searched_to) VALUES (1, 0);

CREATE TABLE searched_leads (
    number     INTEGER NOT NULL PRIMARY KEY,
    contact_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE VIRTUAL TABLE lead_words USING fts5 (
    name, email, message, content = '', columnsize = 0, tokenize = 'unicode61 remove_diacritics 0'
);
-- A forgotten word is taken out of the index, not only marked.
INSERT INTO lead_words (lead_words, rank) VALUES ('secure-delete', 1);

-- The next lead may get the row of one that is removed.
CREATE TRIGGER lead_words_removed BEFORE DELETE ON contacts BEGIN
    INSERT INTO lead_words (lead_words, rowid, name, email, message)
        SELECT 'delete', number, OLD.name, OLD.email, OLD.message
        FROM searched_leads WHERE contact_id = OLD.id;
    DELETE FROM searched_leads WHERE contact_id = OLD.id;
    UPDATE search_state SET searched_to = min(searched_to, OLD.rowid - 1);
END;
