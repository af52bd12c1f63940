-- What the owner has done about a lead, since when, and what the owner noted.
-- Why it is so: docs/decisions/0017-lead-states.md.

-- Whoever has waited longer than the site promises was answered before there
-- were states. The constant is for the rows that are there: none is written.
ALTER TABLE contacts ADD COLUMN state TEXT NOT NULL DEFAULT 'closed'
    CHECK (state IN ('new', 'answered', 'booked', 'closed', 'spam'));
ALTER TABLE contacts ALTER COLUMN state SET DEFAULT 'new';
ALTER TABLE contacts ADD COLUMN answered_at TIMESTAMPTZ;
ALTER TABLE contacts ADD COLUMN note TEXT;

-- What is held waits for the owner, however long. Rows without a key were there
-- before us: of those nothing is promised.
UPDATE contacts SET state = 'new'
    WHERE email_key <> '' AND (coalesce(released_at, created_at) > now() - interval '24 hours'
        OR (hold_reason IS NOT NULL AND released_at IS NULL));

-- Each change, the latest last. The id is text, whatever the kind of
-- contacts.id; that it refers to it is added for that kind.
CREATE TABLE contact_changes (
    contact_id TEXT NOT NULL,
    state      TEXT NOT NULL,
    changed_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX contact_changes_by_contact ON contact_changes (contact_id, changed_at);

CREATE INDEX contacts_new ON contacts (created_at, id) WHERE state = 'new';
CREATE INDEX contacts_released ON contacts (released_at, id)
    WHERE state = 'new' AND released_at IS NOT NULL;
CREATE INDEX contacts_by_state ON contacts (state, created_at, id) WHERE state <> 'new';
-- What waits for a release: of what is spam, the owner has decided.
CREATE INDEX contacts_to_release ON contacts (created_at, id)
    WHERE hold_reason IS NOT NULL AND released_at IS NULL AND state = 'new';

-- The words of leads, to be searched. What stands between words here would make
-- one word of several to the server, an address for example. What is not in order
-- yet is read whole by each search, so that there must not be much of it.
CREATE INDEX contacts_by_words ON contacts USING gin (to_tsvector('simple', translate(
    coalesce(name, '') || ' ' || coalesce(email, '') || ' ' || coalesce(message, ''),
    '@.-_+/:<>&~%=', '             ')))
    WITH (gin_pending_list_limit = 256);
