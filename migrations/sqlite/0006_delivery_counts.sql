-- How many deliveries are finished, kept up to date by the database itself: to
-- count a million of them takes too long for a look at the metrics. Those that
-- are not are few, and counted; so storing one, on which a visitor waits, costs
-- nothing more. It is finished by an update.

CREATE TABLE delivery_counts (
    state  TEXT NOT NULL PRIMARY KEY CHECK (state IN ('delivered', 'given_up')),
    number INTEGER NOT NULL
) STRICT;

INSERT INTO delivery_counts (state, number)
    SELECT column1, (SELECT count(*) FROM deliveries WHERE state = column1)
    FROM (VALUES ('delivered'), ('given_up'));

CREATE TRIGGER delivery_counts_changed AFTER UPDATE OF state ON deliveries BEGIN
    UPDATE delivery_counts SET number = number - 1 WHERE state = OLD.state;
    UPDATE delivery_counts SET number = number + 1 WHERE state = NEW.state;
END;

CREATE TRIGGER delivery_counts_removed AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counts SET number = number - 1 WHERE state = OLD.state;
END;
