//! Leads that are held back, and the notice of them that the owner gets.

use std::time::Duration;

use jiff::Timestamp;

use super::deliveries::{self, Subject};
use super::tx::{Tx, args, recently};
use super::{DeliveryKind, Result};

/// In a query: the lead waits for the owner's decision, as `Lead::is_held` says.
pub const IS_HELD: &str = "contacts.hold_reason IS NOT NULL
    AND contacts.released_at IS NULL AND contacts.state = 'new'";

/// One notice of held leads in this time: a flood of spam must not become a
/// flood of mail to the owner.
pub const HELD_NOTICE_PAUSE: Duration = Duration::from_secs(60 * 60);
/// The lock of whoever tells of held leads, or reads how many there are.
pub const HELD_NOTICES: &str = "held notices";

/// A lead is held: the owner hears of it, in at most one mail an hour, which says
/// how many there are when it goes out.
pub fn tell(tx: &mut Tx<'_>, id: &str, now: Timestamp) -> Result<()> {
    tx.lock(HELD_NOTICES)?;
    let waiting = format!("SELECT 1 FROM deliveries WHERE {}", waiting_notice("$1"));
    if tx.exists(&waiting, args![now])? {
        return Ok(());
    }
    let (since, until) = recently(HELD_NOTICE_PAUSE, now);
    let told = tx.first(
        "SELECT told FROM (
            SELECT coalesce(finished_at, next_attempt_at, created_at) AS told
            FROM deliveries WHERE kind = 'held_notice') AS notices
        WHERE told > $1 AND told <= $2 ORDER BY told DESC LIMIT 1",
        args![since, until],
    )?;
    let told: Option<Timestamp> = told.map(|row| row.get("told")).transpose()?;
    let next = told.and_then(|told| told.saturating_add(HELD_NOTICE_PAUSE).ok());
    let due = next.map_or(now, |next| next.max(now));
    let kind = DeliveryKind::HeldNotice;
    deliveries::add(tx, Subject::Lead(id), kind, Some(due), now)
}

/// One that is on its way right now says how many there were before.
fn waiting_notice(now: &str) -> String {
    format!(
        "kind = 'held_notice' AND state = 'pending'
            AND (lease_until IS NULL OR lease_until <= {now})"
    )
}

/// Nobody needs to hear of what is no longer held.
pub fn withdraw_notice_if_none_is_left(tx: &mut Tx<'_>, now: Timestamp) -> Result<()> {
    tx.lock(HELD_NOTICES)?;
    let sql = format!(
        "DELETE FROM deliveries WHERE {}
            AND NOT EXISTS (SELECT 1 FROM contacts WHERE {IS_HELD})",
        waiting_notice("$1")
    );
    tx.execute(&sql, args![now])?;
    Ok(())
}
