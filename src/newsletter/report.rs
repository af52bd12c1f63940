//! What a run has done, mail by mail.

use crate::store::Recipient;

/// So many in a row mean that something else is wrong than their addresses.
const MOST_FAILURES_IN_A_ROW: u32 = 10;

/// What became of one mail. Reasons are free of personal data.
pub enum Sent {
    Yes,
    /// Not needed any more.
    No,
    /// The mail server will never take mail to this address.
    Refused(RefusedAddress),
    /// Refused in words that may be meant for us: believed once the server
    /// has taken a mail from us.
    Doubted(Doubted),
    /// Not now, and for this address only.
    Deferred,
    /// The server or the store failed; the mail was not taken.
    Failed(String),
    /// Handed over, but nobody knows whether it was taken, or noted.
    Unsure(String),
}

/// For the owner's eyes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedAddress {
    pub email: String,
    /// The mail server's codes.
    pub code: String,
}

/// A refusal that is noted as one for now.
pub struct Doubted {
    pub recipient: Recipient,
    pub code: String,
    pub reason: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    pub sent: u64,
    /// Not tried again without being asked to.
    pub refused: Vec<RefusedAddress>,
    /// Not taken by the mail server; the next run tries them again.
    pub failed: u64,
    /// Handed over, but the connection broke before the server's answer.
    pub unsure: u64,
    /// The run ended early, because it was told to.
    pub stopped: bool,
    /// Why it ended early by itself.
    pub gave_up: Option<String>,
    /// Of the server or the store, since the last mail that was taken.
    pub failures_in_a_row: u32,
}

impl Report {
    pub fn done(&self) -> u64 {
        self.sent + self.refused.len() as u64 + self.failed + self.unsure
    }

    pub fn count(&mut self, sent: &Sent) {
        match sent {
            Sent::No => {}
            Sent::Yes => {
                self.sent += 1;
                self.failures_in_a_row = 0;
            }
            Sent::Refused(address) => self.refused.push(address.clone()),
            Sent::Deferred => self.failed += 1,
            Sent::Doubted(_) if self.sent > 0 => self.failed += 1,
            Sent::Failed(reason) | Sent::Doubted(Doubted { reason, .. }) => {
                self.failed += 1;
                self.count_failure(reason);
            }
            Sent::Unsure(reason) => {
                self.unsure += 1;
                self.count_failure(reason);
            }
        }
    }

    /// A doubted refusal was noted as one after all.
    pub fn believe(&mut self, refusal: Doubted) {
        self.failed -= 1;
        self.refused.push(RefusedAddress {
            email: refusal.recipient.email,
            code: refusal.code,
        });
    }

    fn count_failure(&mut self, reason: &str) {
        self.failures_in_a_row += 1;
        if self.failures_in_a_row >= MOST_FAILURES_IN_A_ROW {
            self.gave_up = Some(reason.to_owned());
        }
    }
}
