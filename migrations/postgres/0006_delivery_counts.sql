-- How many deliveries are in each state, kept up to date by the database
-- itself: to count a million of them takes too long for a look at the metrics.

-- The sum of a state's rows counts. A row for each change, so that nobody waits
-- for another who counts; now and then they are folded into one.
CREATE TABLE delivery_counts (
    id     BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    state  TEXT NOT NULL,
    number BIGINT NOT NULL
);

INSERT INTO delivery_counts (state, number)
    SELECT state, count(*) FROM deliveries GROUP BY state;

-- In the name of who owns the tables: others may be allowed to delete a lead
-- and know nothing of this.
CREATE FUNCTION count_deliveries() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    noted BIGINT;
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO delivery_counts (state, number)
            SELECT state, count(*) FROM added GROUP BY state;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO delivery_counts (state, number)
            SELECT state, -count(*) FROM removed GROUP BY state;
    ELSIF TG_OP = 'UPDATE' THEN
        INSERT INTO delivery_counts (state, number)
            SELECT state, sum(change) FROM (
                SELECT state, 1 AS change FROM added
                UNION ALL SELECT state, -1 FROM removed) AS changes
            GROUP BY state HAVING sum(change) <> 0;
    ELSE
        DELETE FROM delivery_counts;
        RETURN NULL;
    END IF;
    GET DIAGNOSTICS noted = ROW_COUNT;
    IF noted > 0 THEN
        -- Whoever takes one number in 64. What another is folding is left to them.
        IF currval(pg_get_serial_sequence('delivery_counts', 'id')) % 64 < noted THEN
            WITH folded AS (
                DELETE FROM delivery_counts WHERE id = ANY (ARRAY(
                    SELECT id FROM delivery_counts FOR UPDATE SKIP LOCKED))
                RETURNING state, number)
            INSERT INTO delivery_counts (state, number)
                SELECT state, sum(number) FROM folded GROUP BY state;
        END IF;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER delivery_counts_added AFTER INSERT ON deliveries
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER delivery_counts_removed AFTER DELETE ON deliveries
    REFERENCING OLD TABLE AS removed
    FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER delivery_counts_changed AFTER UPDATE ON deliveries
    REFERENCING OLD TABLE AS removed NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
CREATE TRIGGER delivery_counts_emptied AFTER TRUNCATE ON deliveries
    FOR EACH STATEMENT EXECUTE FUNCTION count_deliveries();
