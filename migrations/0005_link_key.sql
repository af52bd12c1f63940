-- The key of the links in mails that mark a lead: one row, made when the first link is written.
CREATE TABLE link_key (
    id     {int} NOT NULL PRIMARY KEY CHECK (id = 1),
    secret {bytes} NOT NULL
){strict};
