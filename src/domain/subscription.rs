//! A newsletter subscription: address, page, consent, and the secret token in the links of its
//! mails.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};

use super::contact::HoldReason;
use super::email::Email;
use super::text::{FieldError, text_type};
use crate::content::{ConsentWording, consent, fields, messages};

/// The shortest time between two confirmation mails to one address.
const FIRST_PAUSE: Duration = Duration::from_secs(5 * 60);
const MAX_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// The consent that a visitor gave, kept as proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Consent {
    pub version: u32,
    /// The text itself; `None` if the page showed a version other than the current one.
    pub wording: Option<String>,
}

/// The consent for the version that a page says it showed. It may differ from the current one: a
/// page may have been open since before the last change, a release may have been rolled back, or
/// another replica may already show a newer one. Versions start at 1.
pub fn consent_shown(version: Option<u32>) -> Consent {
    // Read only once: another release may take over at any moment.
    let present: &ConsentWording = consent();
    match version {
        Some(other) if other != present.version && other > 0 => Consent {
            version: other,
            wording: None,
        },
        _ => Consent {
            version: present.version,
            wording: Some(present.wording.clone()),
        },
    }
}

/// A validated subscription request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscription {
    pub email: Email,
    /// The path of the page with the form, if the browser sent it.
    pub page: Option<String>,
    pub consent: Consent,
    /// If set, the request is kept for the owner to see, and no mail is sent.
    pub hold: Option<HoldReason>,
}

/// Parses the newsletter form's only field, which has its own messages.
pub fn subscriber_email(raw: &str) -> Result<Email, FieldError> {
    Email::parse(raw).map_err(|error| {
        let message = if error.message == messages().required {
            &messages().newsletter_email_missing
        } else {
            &messages().email_shape
        };
        FieldError::new(fields().email.name, message)
    })
}

/// How long to wait after this many unanswered confirmation mails. It doubles each time, so that
/// our form can't be used to flood an address.
pub fn invitation_pause(unanswered: u32) -> Duration {
    let Some(doublings) = unanswered.checked_sub(1) else {
        return Duration::ZERO;
    };
    let factor = 2_u32.saturating_pow(doublings);
    FIRST_PAUSE.saturating_mul(factor).min(MAX_PAUSE)
}

text_type!(
    /// 32 random bytes in base64url. Only the mail contains the token; the store keeps its hash, so a
    /// copied database opens no link.
    SecretToken
);

impl SecretToken {
    pub fn random() -> Self {
        Self(URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>()))
    }

    /// Returns `None` for text that can't be one of our tokens.
    pub fn parse(raw: &str) -> Option<Self> {
        let is_token = raw.len() == 43
            && raw
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
        is_token.then(|| Self(raw.to_owned()))
    }

    /// The hash that the store keeps. The token is long and random, so a fast hash is safe.
    pub fn hash(&self) -> String {
        let digest = Sha256::digest(self.0.as_bytes());
        URL_SAFE_NO_PAD.encode(digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_that_cannot_be_counts_as_the_present_one() {
        let present = consent_shown(None);
        assert_eq!(present.wording.as_ref(), Some(&consent().wording));
        assert_eq!(consent_shown(Some(present.version)), present);
        assert_eq!(consent_shown(Some(0)), present);
    }

    #[test]
    fn pauses_begin_at_five_minutes_and_double_up_to_a_day() {
        let minutes = |number| invitation_pause(number).as_secs() / 60;
        assert_eq!([0, 1, 2, 3].map(minutes), [0, 5, 10, 20]);
        assert_eq!(minutes(10), 24 * 60);
        assert_eq!(minutes(u32::MAX), 24 * 60);
    }

    #[test]
    fn a_token_survives_the_way_through_a_link_and_differs_from_all_others() {
        let (one, two) = (SecretToken::random(), SecretToken::random());
        assert_eq!(SecretToken::parse(one.as_str()), Some(one.clone()));
        assert_ne!(one, two);
        assert_ne!(one.hash(), two.hash());
        assert!(!one.hash().contains(one.as_str()));
        assert_eq!(format!("{one:?}"), "SecretToken(…)");
        let short = &one.as_str()[1..];
        for wrong in ["", short, &format!("{short}ab"), &format!("+{short}")] {
            assert_eq!(SecretToken::parse(wrong), None, "{wrong}");
        }
    }
}
