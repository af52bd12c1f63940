//! Whether what the mail server says of an address can be believed.
//!
//! A refused address is its owner's affair, a server that refuses everybody is
//! ours. One refusal after another may be either: some dead addresses that
//! happen to stand together, or a server that has turned against us. So a
//! refusal waits here until the server has taken another mail, and after many
//! in a row some people from elsewhere in the list tell which it is.

use super::report::{Refused, Sent};

/// So many in a row mean that something else may be wrong than their addresses.
const MOST_IN_A_ROW: u32 = 10;

#[derive(Default)]
pub struct Trust {
    /// Failures since the last mail that was taken.
    in_a_row: u32,
    /// Why the last one failed.
    reason: String,
    /// One of them was not an answer about one mail: no other could do better.
    beyond_mails: bool,
    /// There is nobody left to compare with.
    is_last_word: bool,
    /// Since the last mail that was taken.
    waiting: Vec<Refused>,
}

impl Trust {
    pub fn hear(&mut self, sent: Sent) {
        match sent {
            Sent::Yes => {
                self.in_a_row = 0;
                self.beyond_mails = false;
            }
            Sent::No | Sent::Deferred => {}
            Sent::Refused(refused) => {
                self.fail(refused.reason.clone());
                self.waiting.push(refused);
            }
            Sent::NotTaken(reason) => self.fail(reason),
            Sent::Failed(reason) | Sent::Unsure(reason) => {
                self.beyond_mails = true;
                self.fail(reason);
            }
        }
    }

    fn fail(&mut self, reason: String) {
        self.in_a_row += 1;
        self.reason = reason;
    }

    pub fn is_shaken(&self) -> bool {
        self.in_a_row >= MOST_IN_A_ROW && !self.is_last_word
    }

    /// Other people's mails could tell whether it is about the addresses.
    pub fn can_compare(&self) -> bool {
        !self.beyond_mails
    }

    /// Others are to come.
    pub fn begin(&mut self) {
        self.is_last_word = false;
    }

    pub fn nobody_to_compare(&mut self) {
        self.is_last_word = true;
    }

    pub fn reason(&self) -> String {
        self.reason.clone()
    }

    /// The server has taken a mail: who was refused before it was.
    pub fn proven(&mut self) -> Vec<Refused> {
        std::mem::take(&mut self.waiting)
    }

    /// Nothing more comes: whom to believe to be refused, or why nobody is.
    /// `took`: in this run; `took_before`: in an earlier one.
    pub fn last_word(&mut self, took: bool, took_before: bool) -> Result<Vec<Refused>, String> {
        let (few, mut waiting) = (self.in_a_row < MOST_IN_A_ROW, self.proven());
        if took {
            return Ok(waiting);
        }
        waiting.retain(|refused| !refused.is_vague);
        match few || took_before {
            true => Ok(waiting),
            false => Err(self.reason()),
        }
    }
}
