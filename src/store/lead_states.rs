//! What the owner has done about a lead, and who still waits.

use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{Lead, Result, Store, on_engine};
use crate::domain::{Note, stored_enum};

stored_enum!(
    /// What the owner has done about a lead.
    LeadState {
        /// Nothing yet: the visitor waits, unless the lead is held.
        New = "new",
        Answered = "answered",
        /// The visitor has booked a call.
        Booked = "booked",
        Closed = "closed",
        /// Not a visitor: nothing of it is passed on.
        Spam = "spam",
    }
);

// `derive` would need a mark on a variant that the macro does not pass on.
#[allow(clippy::derivable_impls)]
impl Default for LeadState {
    fn default() -> Self {
        Self::New
    }
}

/// What [`Store::set_lead_state`] did with one lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateSet {
    Changed {
        from: LeadState,
        /// So many deliveries are kept back: they go on if it is opened again.
        kept_back: u64,
        /// So many that were kept back are on their way.
        sent_on: u64,
    },
    /// It was in that state.
    Already,
    UnknownLead,
}

/// One change of a lead's state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeadChange {
    pub state: LeadState,
    pub changed_at: Timestamp,
}

impl Lead {
    /// Kept back from delivery until the owner decides: by a release, or by
    /// giving it another state.
    pub fn is_held(&self) -> bool {
        self.hold_reason.is_some() && self.released_at.is_none() && self.state == LeadState::New
    }

    /// Until when the visitor shall have an answer; `None` when nobody waits.
    pub fn due_at(&self, promise: SignedDuration) -> Option<Timestamp> {
        let waits = self.state == LeadState::New && !self.is_held();
        let since = self.released_at.unwrap_or(self.created_at);
        waits.then(|| since.saturating_add(promise).unwrap_or(Timestamp::MAX))
    }
}

impl Store {
    /// The one place where a lead's state changes. Of a lead that becomes spam
    /// nothing is sent any more; opened again, it goes on its way. Answers for
    /// each id, in their order; an unknown one changes nothing of the others.
    pub async fn set_lead_state(
        &self,
        ids: &[String],
        state: LeadState,
        now: Timestamp,
    ) -> Result<Vec<StateSet>> {
        let ids = ids.to_vec();
        let done = on_engine!(self, db => db.set_lead_state(ids, state, now).await)?;
        self.wakeups.wake();
        Ok(done)
    }

    /// The changes of a lead's state, the latest last.
    pub async fn lead_changes(&self, id: &str) -> Result<Vec<LeadChange>> {
        on_engine!(self, db => db.lead_changes(id.to_owned()).await)
    }

    /// `None` removes it. False when there is no such lead.
    pub async fn set_note(&self, id: &str, note: Option<Note>) -> Result<bool> {
        on_engine!(self, db => db.set_note(id.to_owned(), note).await)
    }

    /// Who waits for an answer, the longest first.
    pub async fn waiting_leads(&self, limit: usize) -> Result<Vec<Lead>> {
        let read = on_engine!(self, db => db.waiting_leads(limit).await)?;
        Ok(self.passed_over.note(read))
    }

    /// The ids of leads that end in one of these, which are [`SHORT_ID`] long.
    pub async fn lead_ids_ending(&self, ends: Vec<String>) -> Result<Vec<String>> {
        on_engine!(self, db => db.lead_ids_ending(ends).await)
    }
}

/// So many characters of the end of an id lead to it by an index. Ids begin
/// with their time, so that those of one minute begin alike.
pub const SHORT_ID: usize = 8;
