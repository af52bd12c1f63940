//! Classifies a mail server's refusal: its codes, and whether the recipient or something else is
//! the cause. The reply's text is read only if it has no enhanced status code, and never stored.
//!
//! Only mail to an address that will never work is given up. A wrong password, a sender that isn't
//! allowed or a message taken for spam is for the owner to fix, so the mail is retried.

use std::error::Error as _;
use std::fmt;

use lettre::transport::smtp;

/// Subjects of enhanced status codes (RFC 3463).
const ADDRESS: u16 = 1;
const MAILBOX: u16 = 2;
const MAIL_SYSTEM: u16 = 3;
const ROUTING: u16 = 4;

const NO_SUCH_USER: (u16, u16) = (ADDRESS, 1);

/// Codes about the sender, the owner's quota, or nothing in particular, although their subject is
/// an address, a mailbox or a route.
const NOT_THE_RECIPIENT: [(u16, u16); 6] = [(1, 0), (1, 7), (1, 8), (2, 0), (2, 252), (4, 5)];

/// In the reply to a message, only these codes are about the recipient.
const THE_RECIPIENT: [(u16, u16); 7] = [(1, 1), (1, 2), (1, 3), (1, 6), (1, 10), (2, 1), (2, 2)];

/// 5xx codes in the reply to a recipient that are about our session: commands, login, TLS.
const ABOUT_US: [u16; 10] = [500, 502, 503, 504, 521, 530, 534, 535, 538, 555];

/// Phrases that mean the address doesn't exist, for replies without an enhanced code.
const NO_SUCH_USER_PHRASES: &str = "no such, unknown user, user unknown, is unknown, unknown recipient, \
    recipient unknown, unknown address, address unknown, unknown mailbox, not exist, \
    doesn't exist, no mailbox, mailbox not found, user not found, recipient not found, \
    address not found, mailbox unavailable, invalid recipient, invalid mailbox, \
    invalid address, not a valid, user not local";

/// Phrases that mean the sender is rejected, for the same replies.
const SENDER_REJECTED_PHRASES: &str = "spam, block, blacklist, denylist, banned, policy, relay, rcpthosts, authenticat, \
    sender, spf, dkim, dmarc, reputation, denied, too many, client host";

/// What the text of a reply without an enhanced code is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hint {
    Nothing,
    NobodyThere,
    AboutSender,
}

impl Hint {
    fn from_text(text: &str) -> Self {
        let text = text.to_lowercase();
        let has_any = |phrases: &str| phrases.split(", ").any(|phrase| text.contains(phrase));
        if has_any(SENDER_REJECTED_PHRASES) {
            Self::AboutSender
        } else if has_any(NO_SUCH_USER_PHRASES) {
            Self::NobodyThere
        } else {
            Self::Nothing
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Mail to this address will never be accepted.
    Address,
    /// Temporary, and for this address only.
    AddressForNow,
    /// Any other cause: the server, the settings, the message.
    Server,
}

/// Displays as `550 5.1.1`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Codes {
    code: u16,
    detail: Option<[u16; 3]>,
    hint: Hint,
}

impl Codes {
    /// Returns `None` if the server gave no valid reply.
    pub fn from_error(error: &smtp::Error) -> Option<Self> {
        let code = u16::from(error.status()?);
        let text = error.source().map(ToString::to_string);
        Some(Self::read(code, &text.unwrap_or_default()))
    }

    fn read(code: u16, text: &str) -> Self {
        Self {
            code,
            detail: detail(text),
            hint: Hint::from_text(text),
        }
    }

    /// Whether it is unclear if the refusal is about the address or about us.
    pub fn is_vague(self) -> bool {
        self.detail.is_none() && self.hint != Hint::NobodyThere
    }

    /// Whether the address doesn't exist.
    pub fn is_no_such_user(self) -> bool {
        match self.subject_and_detail() {
            Some(about) => self.code >= 500 && about == NO_SUCH_USER,
            None => matches!(self.code, 550 | 551 | 553) && self.hint == Hint::NobodyThere,
        }
    }

    /// Classifies a refusal of the recipient.
    pub fn blame_at_recipient(self) -> Cause {
        match (self.code, self.subject_and_detail()) {
            (421, _) | (_, Some((MAIL_SYSTEM, _))) => Cause::Server,
            (_, Some(about)) if NOT_THE_RECIPIENT.contains(&about) => Cause::Server,
            (400..500, _) => Cause::AddressForNow,
            (_, Some((ADDRESS | MAILBOX | ROUTING, _))) => Cause::Address,
            (_, Some(_)) => Cause::Server,
            (code, None) if ABOUT_US.contains(&code) => Cause::Server,
            (_, None) if self.hint == Hint::AboutSender => Cause::Server,
            (_, None) => Cause::Address,
        }
    }

    /// Classifies a refusal of the message, which is about the address only if its code says so.
    pub fn blame_at_message(self) -> Cause {
        let recipient = self
            .subject_and_detail()
            .is_some_and(|about| THE_RECIPIENT.contains(&about));
        match (self.code, recipient) {
            (400..500, true) => Cause::AddressForNow,
            (500.., true) => Cause::Address,
            _ => Cause::Server,
        }
    }

    fn subject_and_detail(self) -> Option<(u16, u16)> {
        self.detail.map(|[_, subject, detail]| (subject, detail))
    }
}

/// Finds `5.1.1` at the start of a reply, or `(#5.1.1)` anywhere in it.
fn detail(text: &str) -> Option<[u16; 3]> {
    let first = text.split_whitespace().next()?;
    numbers(first).or_else(|| {
        let marked = |word: &str| {
            let word = word.trim_matches(['(', ')', '.', ',', ';']);
            word.strip_prefix('#').and_then(numbers)
        };
        text.split_whitespace().find_map(marked)
    })
}

fn numbers(word: &str) -> Option<[u16; 3]> {
    let parts = word.split('.').map(|part| part.parse::<u16>().ok());
    let numbers: Vec<_> = parts.collect::<Option<_>>()?;
    numbers.try_into().ok()
}

impl fmt::Display for Codes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.code)?;
        match self.detail {
            Some([class, subject, detail]) => write!(f, " {class}.{subject}.{detail}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_detailed_code_is_read_and_no_other_words_are() {
        let codes = Codes::read(550, "5.1.1 ada is unknown").to_string();
        assert_eq!(codes, "550 5.1.1");
        for words in ["", "ada", "5.1", "5.1.1.1 x", "5.1.ada", "5.1.123456"] {
            assert_eq!(Codes::read(550, words).to_string(), "550", "{words}");
        }
    }

    #[test]
    fn nobody_there_is_told_by_its_code_or_without_one_by_plain_words() {
        for (code, words, nobody) in [
            (550, "5.1.1 <ada@example.org>: rejected", true),
            (553, "sorry, no mailbox here by that name. (#5.1.1)", true),
            (550, "No such user here", true),
            (550, "Requested action not taken: mailbox unavailable", true),
            (551, "User not local; please try <b@example.org>", true),
            (553, "Invalid recipient", true),
            (450, "4.1.1 user unknown for now", false),
            (552, "no such room left", false),
            (550, "no", false),
            (550, "5.2.1 mailbox disabled, no such user", false),
            (550, "user unknown, or your message is spam", false),
        ] {
            let codes = Codes::read(code, words);
            assert_eq!(codes.is_no_such_user(), nobody, "{words}");
        }
        assert!(Codes::read(550, "no").is_vague());
        assert!(!Codes::read(550, "no such user").is_vague());
    }

    #[test]
    fn only_what_speaks_of_the_address_blames_it() {
        for (code, words, blame) in [
            (550, "", Cause::Address),
            (550, "5.1.1", Cause::Address),
            (550, "5.2.1", Cause::Address),
            (550, "5.1.0", Cause::Server),
            (550, "5.1.7", Cause::Server),
            (450, "4.1.8", Cause::Server),
            (550, "5.2.0", Cause::Server),
            (550, "5.4.5", Cause::Server),
            (554, "5.7.1", Cause::Server),
            (530, "", Cause::Server),
            (450, "", Cause::AddressForNow),
            (452, "4.2.2", Cause::AddressForNow),
            (452, "4.3.1", Cause::Server),
            (421, "", Cause::Server),
            (550, "relay access denied", Cause::Server),
            (
                553,
                "not in my list of allowed rcpthosts (#5.7.1)",
                Cause::Server,
            ),
            (550, "message refused as spam", Cause::Server),
            (550, "sender rejected", Cause::Server),
            (550, "authentication required", Cause::Server),
            (550, "blocked by our policy", Cause::Server),
        ] {
            let blamed = Codes::read(code, words).blame_at_recipient();
            assert_eq!(blamed, blame, "{code} {words}");
        }
        for (code, words, blame) in [
            (550, "", Cause::Server),
            (550, "5.1.1", Cause::Address),
            (552, "5.2.2", Cause::Address),
            (550, "5.1.7", Cause::Server),
            (550, "5.2.0", Cause::Server),
            (552, "5.2.3", Cause::Server),
            (550, "5.7.1", Cause::Server),
            (452, "4.2.2", Cause::AddressForNow),
            (451, "", Cause::Server),
        ] {
            let blamed = Codes::read(code, words).blame_at_message();
            assert_eq!(blamed, blame, "{code} {words}");
        }
    }
}
