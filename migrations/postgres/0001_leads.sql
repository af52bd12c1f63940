-- Leads and what becomes of them.

-- A table that was there before has been given these columns by now.
CREATE TABLE IF NOT EXISTS contacts (
    id              TEXT NOT NULL PRIMARY KEY,
    name            TEXT NOT NULL,
    email           TEXT NOT NULL,
    phone           TEXT,
    message         TEXT NOT NULL,
    form_location   TEXT NOT NULL DEFAULT 'contact',
    created_at      TIMESTAMPTZ NOT NULL,
    -- Set: kept back from delivery until released_at is set too.
    hold_reason     TEXT,
    released_at     TIMESTAMPTZ,
    -- One filled-in form is one row, however often it is sent.
    idempotency_key TEXT UNIQUE,
    landing_path    TEXT,
    referrer_host   TEXT,
    utm_source      TEXT,
    utm_medium      TEXT,
    utm_campaign    TEXT,
    utm_term        TEXT,
    utm_content     TEXT
);

CREATE INDEX contacts_by_time ON contacts (created_at, id);
CREATE INDEX contacts_held ON contacts (created_at, id)
    WHERE hold_reason IS NOT NULL AND released_at IS NULL;

CREATE TABLE deliveries (
    id              TEXT NOT NULL PRIMARY KEY,
    -- Empty for what does not belong to a lead. Text, whatever the kind of
    -- contacts.id; that it refers to it is added for that kind.
    contact_id      TEXT,
    kind            TEXT NOT NULL,
    state           TEXT NOT NULL CHECK (state IN ('pending', 'held', 'delivered', 'given_up')),
    attempts        INTEGER NOT NULL DEFAULT 0,
    next_attempt_at TIMESTAMPTZ,
    last_error      TEXT,
    -- A worker's claim: until it ends, nobody else sends this delivery.
    lease_token     TEXT,
    lease_until     TIMESTAMPTZ,
    created_at      TIMESTAMPTZ NOT NULL,
    finished_at     TIMESTAMPTZ
);

CREATE INDEX deliveries_due ON deliveries (kind, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_by_contact ON deliveries (contact_id);
CREATE INDEX deliveries_by_time ON deliveries (created_at, id);
CREATE INDEX deliveries_by_state ON deliveries (state, created_at, id);
