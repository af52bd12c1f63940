//! Leads whose promise is nearly over: the owner is reminded of each once.

use jiff::{SignedDuration, Timestamp};

use super::{DeliveryKind, Result, Store, on_engine};

/// In one transaction: others wait for it.
pub(super) const MOST_REMINDED: u32 = 200;

/// Nobody has answered, and the visitor waits.
pub(super) const WAITS: &str = "contacts.state = 'new'
    AND (contacts.hold_reason IS NULL OR contacts.released_at IS NOT NULL)";

/// Since when a lead waits.
pub(super) const WAITS_SINCE: &str = "coalesce(contacts.released_at, contacts.created_at)";

impl Store {
    /// Stores a reminder of these kinds for each lead that has waited so long,
    /// and takes back those of leads that were dealt with before they went out.
    /// A lead is marked in the same transaction, with or without a reminder, and
    /// never comes here again. Returns how many were marked.
    pub async fn remind(
        &self,
        kinds: &'static [DeliveryKind],
        waited: SignedDuration,
        now: Timestamp,
    ) -> Result<u64> {
        let mut all = 0;
        loop {
            let marked = on_engine!(self, db => db.remind(kinds, waited, now).await)?;
            all += marked;
            if marked < u64::from(MOST_REMINDED) {
                break;
            }
        }
        if all > 0 {
            self.wakeups.wake();
        }
        Ok(all)
    }

    /// The present by the clock that counts for all who share the database.
    pub async fn present(&self, now: Timestamp) -> Result<Timestamp> {
        on_engine!(self, db => db.present(now).await)
    }
}
