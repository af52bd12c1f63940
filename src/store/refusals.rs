//! Addresses that the mail server refuses for good: noted, left out of further
//! issues, and taken up again.

use jiff::Timestamp;

use super::{Recipient, Result, Store, on_engine};

/// So many issues in a row refused for whatever reason mean that the next one
/// would be, too.
pub(super) const REFUSALS_THAT_SUSPEND: i64 = 2;

/// Who gets issues; in a query with the table of subscribers.
pub(super) const GETS_ISSUES: &str =
    "subscribers.state = 'confirmed' AND subscribers.suspended_at IS NULL";

/// Why an address was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddressRefusal {
    /// The mail server's codes, none of its words.
    pub code: String,
    /// Nobody has this address: there is nothing to wait for.
    pub no_such_user: bool,
}

impl Store {
    /// Notes that an issue was refused to an address for good. Suspends it at
    /// once when nobody has it, otherwise with the second issue in a row.
    pub async fn note_refusal(
        &self,
        issue: &str,
        recipient: &Recipient,
        refusal: &AddressRefusal,
        now: Timestamp,
    ) -> Result<()> {
        let (issue, id, refusal) = (issue.to_owned(), recipient.id.clone(), refusal.clone());
        on_engine!(self, db => db.note_refusal(issue, id, refusal, now).await)
    }

    /// Takes a suspended address up again; false when there is none.
    pub async fn resume(&self, email: &str) -> Result<bool> {
        on_engine!(self, db => db.resume(email.to_owned()).await)
    }
}
