-- The owner's desk.

-- Links that sign a browser in: once, and only for some minutes.
CREATE TABLE desk_links (
    hash       TEXT NOT NULL PRIMARY KEY,
    name       TEXT NOT NULL,
    expires_at {time} NOT NULL
){strict};

-- Browsers that are signed in. The cookie's value is not here, only its hash.
CREATE TABLE desk_sessions (
    id         TEXT NOT NULL PRIMARY KEY,
    hash       TEXT NOT NULL UNIQUE,
    name       TEXT NOT NULL,
    created_at {time} NOT NULL,
    used_at    {time} NOT NULL,
    -- The lead that somebody is writing to in this browser, and since when.
    writing_to TEXT REFERENCES contacts (id) ON DELETE SET NULL,
    writing_at {time}
){strict};

CREATE INDEX desk_sessions_by_lead ON desk_sessions (writing_to) WHERE writing_to IS NOT NULL;

-- Unfinished replies.
CREATE TABLE reply_drafts (
    contact_id TEXT NOT NULL PRIMARY KEY REFERENCES contacts (id) ON DELETE CASCADE,
    text       TEXT NOT NULL,
    kept_at    {time} NOT NULL
){strict};

-- What the owner answered from the desk; each goes out by its delivery.
CREATE TABLE replies (
    delivery_id TEXT NOT NULL PRIMARY KEY REFERENCES deliveries (id) ON DELETE CASCADE,
    contact_id  TEXT NOT NULL REFERENCES contacts (id) ON DELETE CASCADE,
    who         TEXT NOT NULL,
    text        TEXT NOT NULL,
    -- 1: the mail has the booking link, or quotes the message.
    booking     {int} NOT NULL,
    quote       {int} NOT NULL,
    created_at  {time} NOT NULL
){strict};

CREATE INDEX replies_by_contact ON replies (contact_id);

-- Who changed a lead; empty: the command line. What they did, where it was not the state. What
-- undoing it puts back, as JSON.
ALTER TABLE contact_changes ADD COLUMN who TEXT;
ALTER TABLE contact_changes ADD COLUMN what TEXT;
ALTER TABLE contact_changes ADD COLUMN before TEXT;

CREATE INDEX contact_changes_by_time ON contact_changes (changed_at, contact_id);

-- When somebody first opened it at the desk.
ALTER TABLE contacts ADD COLUMN seen_at {time};

-- The issue that is being written, and the text that was last tested.
CREATE TABLE issue_draft (
    id        {int} NOT NULL PRIMARY KEY CHECK (id = 1),
    text      TEXT NOT NULL,
    kept_at   {time} NOT NULL,
    tested    TEXT,
    tested_at {time}
){strict};

-- Set: the owner has paused it; no server sends it.
ALTER TABLE newsletter_schedules ADD COLUMN paused_at {time};

-- What a release changed when it was published, as JSON: paths of pages that were added, removed
-- and changed; and which system user published it.
ALTER TABLE releases ADD COLUMN changes TEXT;
ALTER TABLE releases ADD COLUMN who TEXT;
