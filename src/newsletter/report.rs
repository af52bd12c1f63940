//! What a run has done, mail by mail.

use crate::store::{AddressRefusal, Recipient};

/// What became of one mail. Reasons are free of personal data.
pub enum Sent {
    Yes,
    /// Not needed any more.
    No,
    /// The mail server will never take mail to this address, it says.
    Refused(Refused),
    /// Not now, and for this address only.
    Deferred,
    /// The server did not want this mail, for a reason of its own.
    NotTaken(String),
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
pub struct Refused {
    pub recipient: Recipient,
    pub refusal: AddressRefusal,
    /// It may be meant for us.
    pub is_vague: bool,
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
}

impl Report {
    pub fn done(&self) -> u64 {
        self.sent + self.refused.len() as u64 + self.failed + self.unsure
    }

    pub fn count(&mut self, sent: &Sent) {
        match sent {
            Sent::No => {}
            Sent::Yes => self.sent += 1,
            Sent::Unsure(_) => self.unsure += 1,
            Sent::Refused(_) | Sent::Deferred | Sent::NotTaken(_) | Sent::Failed(_) => {
                self.failed += 1;
            }
        }
    }

    /// A refusal was noted as one after all.
    pub fn believe(&mut self, refused: Refused) {
        self.failed -= 1;
        self.refused.push(RefusedAddress {
            email: refused.recipient.email,
            code: refused.refusal.code,
        });
    }
}
