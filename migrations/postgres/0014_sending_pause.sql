-- While there is a row nothing is sent. The owner leaves one when a dump was
-- restored (docs/operations.md), and the owner's decision removes it.
CREATE TABLE IF NOT EXISTS sending_pause (
    paused_at TIMESTAMPTZ NOT NULL PRIMARY KEY
);
