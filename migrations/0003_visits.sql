-- Visits, counted by day without anything about the visitor. An empty source or campaign: none, or not told.
CREATE TABLE visits (
    -- In the site's time zone.
    day             TEXT NOT NULL,
    page            TEXT NOT NULL,
    source          TEXT NOT NULL,
    campaign        TEXT NOT NULL,
    requested       {int} NOT NULL,
    seen            {int} NOT NULL,
    form_started    {int} NOT NULL,
    booking_presses {int} NOT NULL,
    PRIMARY KEY (day, page, source, campaign)
){strict};
