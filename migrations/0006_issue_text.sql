-- What the owner typed at the desk, to go on with after cancelling; empty for an issue from a file.
ALTER TABLE newsletter_schedules ADD COLUMN text TEXT;
