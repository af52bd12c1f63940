//! The words of the mails that visitors get: those of `content/mails.toml`, and for
//! whatever it leaves out those of `contract/mails.json`.

use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mails {
    pub auto_reply: AutoReply,
    pub confirmation: Confirmation,
    pub newsletter: Frame,
}

/// Thanks for a message.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoReply {
    pub subject: String,
    pub greeting: String,
    pub promise: String,
    /// Before the way to book a call, and the words on its button.
    pub talk: String,
    pub booking: String,
    /// Why it came.
    pub note: String,
}

/// Asks a subscriber to confirm.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    pub subject: String,
    pub greeting: String,
    pub text: String,
    pub button: String,
    pub note: String,
}

/// Stands below every issue of the newsletter.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    pub reason: String,
    pub unsubscribe: String,
}

#[cfg(test)]
mod tests {
    use super::Mails;
    use crate::content::MAILS;

    #[test]
    fn the_default_words_fit_their_type() {
        let file = include_str!("../../contract/mails.json");
        let words: Mails = serde_json::from_str(file).unwrap();
        assert!(words.auto_reply.subject.contains("{site.name}"));
    }

    #[test]
    fn no_mail_has_a_place_left_open() {
        let words = format!("{:?}", *MAILS);
        assert!(!words.contains("{site."), "{words}");
    }
}
