-- Calls that Cal.com or Calendly has told of.
CREATE TABLE bookings (
    service      TEXT NOT NULL CHECK (service IN ('cal', 'calendly')),
    -- The service's name for it: Cal.com's uid, Calendly's address of the invitee.
    id           TEXT NOT NULL,
    -- Whose call it is, and how that is known. Empty: only the end of the booking was told so far.
    contact_id   TEXT REFERENCES contacts (id) ON DELETE CASCADE,
    matched_by   TEXT CHECK (matched_by IN ('token', 'address', 'booking')),
    starts_at    {time},
    -- When the service told of the booking, or last of its time, by its own clock: an older
    -- event that arrives later moves nothing back.
    told_at      {time},
    cancelled_at {time},
    -- The booking that a reschedule made in its place.
    replaced_by  TEXT,
    created_at   {time} NOT NULL,
    PRIMARY KEY (service, id)
){strict};

CREATE INDEX bookings_by_contact ON bookings (contact_id);
CREATE INDEX bookings_by_time ON bookings (starts_at);

-- When each service last told of something, and when something in its name was last refused.
CREATE TABLE booking_services (
    service    TEXT NOT NULL PRIMARY KEY,
    taken_at   {time},
    refused_at {time},
    refusal    TEXT
){strict};

-- Set: a call was cancelled, and the visitor waits again since then.
ALTER TABLE contacts ADD COLUMN reopened_at {time};

DROP INDEX contacts_to_remind;
CREATE INDEX contacts_to_remind ON contacts (coalesce(reopened_at, released_at, created_at))
    WHERE state = 'new' AND reminded_at IS NULL
        AND (hold_reason IS NULL OR released_at IS NOT NULL);
