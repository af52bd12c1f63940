-- While there is a row nothing is sent. `frontdoor restore` leaves one, in tables of
-- any version; the owner's decision removes it.
CREATE TABLE IF NOT EXISTS sending_pause (
    paused_at TEXT NOT NULL PRIMARY KEY
) STRICT;
