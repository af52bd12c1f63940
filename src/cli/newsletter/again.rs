//! Whom an earlier run has noted and this one is to try again.
//!
//! Looked up before the question, so that its number is true; withdrawn after
//! it, so that a no changes nothing.

use jiff::Timestamp;

use crate::newsletter::LONGEST_HAND_OVER;
use crate::store::{IssueCounts, Result, SendState, Store};

#[derive(Default)]
pub struct Again {
    notes: Vec<Notes>,
}

/// The notes of one state that were written until then.
struct Notes {
    state: SendState,
    until: Timestamp,
    number: u64,
}

impl Again {
    /// Also those who are in doubt, or were refused.
    pub async fn find(store: &Store, issue: &str, unsure: bool, refused: bool) -> Result<Self> {
        let now = store.now();
        let mut again = Self::default();
        if unsure {
            // Another run may be handing over the younger ones right now.
            let settled = now.saturating_sub(LONGEST_HAND_OVER).unwrap_or(now);
            again.add(store, issue, SendState::Offered, settled).await?;
        }
        if refused {
            again.add(store, issue, SendState::Refused, now).await?;
        }
        Ok(again)
    }

    async fn add(
        &mut self,
        store: &Store,
        issue: &str,
        state: SendState,
        until: Timestamp,
    ) -> Result<()> {
        let number = store.noted_until(issue, state, until).await?;
        self.notes.push(Notes {
            state,
            until,
            number,
        });
        Ok(())
    }

    /// What the counts will be.
    pub fn apply_to(&self, mut counts: IssueCounts) -> IssueCounts {
        for notes in &self.notes {
            let noted = match notes.state {
                SendState::Offered => &mut counts.offered,
                _ => &mut counts.refused,
            };
            *noted = noted.saturating_sub(notes.number);
            counts.waiting += notes.number;
        }
        counts
    }

    pub async fn withdraw(&self, store: &Store, issue: &str) -> Result<()> {
        for notes in &self.notes {
            store.withdraw(issue, notes.state, notes.until).await?;
        }
        Ok(())
    }
}
