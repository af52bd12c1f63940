-- What all replicas count together: posts of one client address in its minute.
-- Unlogged: costs no journal, and may be lost in a crash.

CREATE UNLOGGED TABLE rate_counts (
    -- A salted hash: no address is ever stored.
    client   TEXT NOT NULL PRIMARY KEY,
    began_at TIMESTAMPTZ NOT NULL,
    posts    BIGINT NOT NULL
);

CREATE INDEX rate_counts_by_time ON rate_counts (began_at);

-- One row, the same for all replicas, and another one every day: without it no
-- hash can be told from another any more.
CREATE UNLOGGED TABLE rate_salt (
    id       INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    salt     TEXT NOT NULL,
    made_at  TIMESTAMPTZ NOT NULL
);
