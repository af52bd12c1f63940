-- The releases of the site that were published. The one with the highest turn
-- is shown: publishing and going back give the next one. Number 0, without
-- content, is the release that the program carries.
CREATE TABLE releases (
    id           BIGINT NOT NULL PRIMARY KEY,
    checksum     TEXT NOT NULL,
    -- Of what the program carried that published it.
    carried      TEXT NOT NULL,
    pages        BIGINT NOT NULL,
    bytes        BIGINT NOT NULL,
    published_at TIMESTAMPTZ NOT NULL,
    -- What the server itself says, as JSON; empty in that of the program.
    facts        TEXT NOT NULL,
    turn         BIGINT NOT NULL,
    -- Base64.
    content      TEXT
);

CREATE INDEX releases_by_turn ON releases (turn);
