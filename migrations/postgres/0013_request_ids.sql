-- The request that brought a lead in, as the log calls it: what becomes of its
-- deliveries can be found beside it.
ALTER TABLE contacts ADD COLUMN request_id TEXT;
