-- Removing what was kept long enough: when that was done, and until when
-- whoever is at it has it for itself.
ALTER TABLE store_state ADD COLUMN pruned_at TIMESTAMPTZ;
ALTER TABLE store_state ADD COLUMN pruning_ends_at TIMESTAMPTZ;

-- The few among many that grow old.
CREATE INDEX mail_links_to_confirm ON mail_links (expires_at) WHERE purpose = 'confirm';
CREATE INDEX newsletter_sends_refused ON newsletter_sends (offered_at)
    WHERE state = 'refused' AND code IS NOT NULL;
