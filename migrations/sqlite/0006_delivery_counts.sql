-- How many deliveries are in each state, kept up to date by the database
-- itself: to count a million of them takes too long for a look at the metrics.

CREATE TABLE delivery_counts (
    state  TEXT NOT NULL PRIMARY KEY,
    number INTEGER NOT NULL
) STRICT;

INSERT INTO delivery_counts (state, number)
    SELECT column1, (SELECT count(*) FROM deliveries WHERE state = column1)
    FROM (VALUES ('pending'), ('held'), ('delivered'), ('given_up'));

CREATE TRIGGER delivery_counts_added AFTER INSERT ON deliveries BEGIN
    UPDATE delivery_counts SET number = number + 1 WHERE state = NEW.state;
END;

CREATE TRIGGER delivery_counts_removed AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counts SET number = number - 1 WHERE state = OLD.state;
END;

CREATE TRIGGER delivery_counts_changed AFTER UPDATE OF state ON deliveries BEGIN
    UPDATE delivery_counts SET number = number - 1 WHERE state = OLD.state;
    UPDATE delivery_counts SET number = number + 1 WHERE state = NEW.state;
END;
