//! Why a step of a conversation with the mail server failed, in words of our
//! own: reasons are free of personal data.

use std::error::Error;
use std::time::Duration;

use lettre::transport::smtp;
use tokio::time::timeout;

use super::answer::{Blame, Codes};
use crate::calls::cause;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepError {
    /// Mail to this recipient will never be taken.
    Refused(Refusal),
    /// Mail to this recipient is not taken now.
    Deferred(Refusal),
    /// The mail server said no to something else; the mail was not taken.
    Server(Codes),
    /// No answer: after the hand-over it cannot be told whether it was taken.
    Connection(String),
}

/// What stands against a recipient: the server's codes, or that it cannot
/// be asked at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Said(Codes),
    NoInternationalAddresses,
    NoAddress,
}

impl Refusal {
    /// It may be about us and not about the recipient.
    pub fn is_vague(self) -> bool {
        matches!(self, Self::Said(codes) if codes.is_vague())
    }

    /// Nobody has this address.
    pub fn is_no_such_user(self) -> bool {
        matches!(self, Self::Said(codes) if codes.is_no_such_user())
    }

    /// In a few words, for a list.
    pub fn in_short(self) -> String {
        match self {
            Self::Said(codes) => codes.to_string(),
            Self::NoInternationalAddresses => "no international addresses".into(),
            Self::NoAddress => "no mail address".into(),
        }
    }

    pub fn reason(self) -> String {
        match self {
            Self::Said(codes) => answered(codes),
            Self::NoInternationalAddresses => {
                "the mail server takes no international addresses".into()
            }
            Self::NoAddress => "no mail can be written to this address".into(),
        }
    }
}

impl StepError {
    /// What the server said, blamed on whom it speaks of.
    pub fn judged(error: &smtp::Error, blame: impl FnOnce(Codes) -> Blame) -> Self {
        let Some(codes) = Codes::of(error) else {
            return Self::unanswered(error);
        };
        match blame(codes) {
            Blame::Address => Self::Refused(Refusal::Said(codes)),
            Blame::AddressForNow => Self::Deferred(Refusal::Said(codes)),
            Blame::Server => Self::Server(codes),
        }
    }

    fn unanswered(error: &smtp::Error) -> Self {
        match error {
            _ if error.is_response() => {
                Self::Connection("the mail server's answer cannot be read".into())
            }
            _ if error.is_client() => Self::Connection(
                "the mail server does not offer what the settings ask for (TLS or a login)".into(),
            ),
            _ => Self::broken(error),
        }
    }

    /// Waits for an answer so long and no longer.
    pub async fn within<T>(limit: Duration, answer: impl Future<Output = T>) -> Result<T, Self> {
        let timed_out = |_| Self::Connection(format!("no answer within {} s", limit.as_secs()));
        timeout(limit, answer).await.map_err(timed_out)
    }

    pub fn broken(error: &(dyn Error + 'static)) -> Self {
        Self::unusable(cause::words(error))
    }

    pub fn unusable(words: &str) -> Self {
        Self::Connection(format!("the mail server cannot be used: {words}"))
    }

    pub fn into_reason(self) -> String {
        match self {
            Self::Refused(refusal) | Self::Deferred(refusal) => refusal.reason(),
            Self::Server(codes) => answered(codes),
            Self::Connection(reason) => reason,
        }
    }
}

/// Before any recipient is named, only the server can be to blame.
impl From<smtp::Error> for StepError {
    fn from(error: smtp::Error) -> Self {
        Self::judged(&error, |_| Blame::Server)
    }
}

fn answered(codes: Codes) -> String {
    format!("the mail server answered {codes}")
}
