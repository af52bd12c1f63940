//! An e-mail address, checked for its shape only.
//!
//! The rule is the browser's too: something, one `@`, something with a dot
//! inside, no white space, and nothing that a mail could not be addressed to
//! as it stands: no brackets, quotes or lists, no dot or hyphen out of place.
//! Whether the mailbox exists, only mail can tell.

use lettre::Address;
use unicode_normalization::UnicodeNormalization as _;
use url::Host;

use super::invisible::{is_blank, is_invisible};
use super::text::{text_type, trim, within};
use super::{FieldError, LIMITS};

text_type!(
    /// An address of the right shape, as the visitor wrote it but for letters
    /// taken apart (`a` and two dots): mail wants them whole.
    Email
);

impl Email {
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        let value: String = trim(raw).nfc().collect();
        if is_blank(&value) {
            return Err(FieldError::required("email"));
        }
        within(&value, "email", "Email address", LIMITS.email)?;
        if !has_shape(&value) {
            return Err(FieldError::email_shape("email"));
        }
        Ok(Self(value))
    }
}

/// The mail library's own word is needed too, or the first mail would fail.
fn has_shape(value: &str) -> bool {
    value.split_once('@').is_some_and(|(local, domain)| {
        local.split('.').all(is_atom) && is_domain(domain) && value.parse::<Address>().is_ok()
    })
}

fn is_atom(text: &str) -> bool {
    let has_meaning = |c| r#""(),:;<>@[\]"#.contains(c);
    !text.is_empty() && !text.contains(|c| is_invisible(c) || has_meaning(c))
}

/// Names that could be registered; others are what DNS makes of them.
fn is_domain(domain: &str) -> bool {
    let is_name = |domain: &str| domain.contains('.') && domain.split('.').all(is_label);
    if domain.is_ascii() {
        return is_name(domain);
    }
    // Not what only becomes a name by being decoded.
    let is_plain = |c: char| !c.is_ascii() || c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
    let is_ours = domain.chars().all(|c| is_plain(c) && !is_invisible(c));
    let encoded = Host::parse(domain);
    is_ours && matches!(encoded, Ok(Host::Domain(name)) if is_name(&name))
}

fn is_label(label: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=63).contains(&label.len())
        && label.bytes().all(is_letter)
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LETTERS: &str = "[a-c@. \\t\\x00é例\"<>(),;:\\\\\\[\\]'+_-]{0,14}";

    proptest! {
        #[test]
        fn what_parses_has_one_at_sign_an_inner_dot_and_no_space(raw in LETTERS) {
            if let Ok(email) = Email::parse(&raw) {
                let value = email.as_str();
                prop_assert_eq!(value.matches('@').count(), 1);
                prop_assert!(!value.contains(char::is_whitespace));
                let (local, domain) = value.split_once('@').unwrap();
                prop_assert!(!local.is_empty());
                prop_assert!(domain.trim_matches('.').contains('.'));
            }
        }

        #[test]
        fn to_every_address_that_parses_a_mail_can_be_written(
            raw in prop_oneof![LETTERS, "[a-c.é例+_-]{1,4}@[a-c.é例-]{1,6}", any::<String>()]
        ) {
            if let Ok(email) = Email::parse(&raw) {
                let address: lettre::Address = email.as_str().parse().unwrap();
                let mail = lettre::Message::builder()
                    .from("site@example.org".parse().unwrap())
                    .to(address.into())
                    .body(String::new());
                prop_assert!(mail.is_ok(), "{raw}");
            }
        }

        #[test]
        fn any_text_is_parsed_without_a_panic(raw in any::<String>()) {
            let _ = Email::parse(&raw);
        }

        #[test]
        fn an_ordinary_address_parses_unchanged(
            address in "[a-zA-Z0-9+_-]{1,9}(\\.[a-z0-9]{1,9}){0,3}@[a-z0-9]{1,20}(-[a-z0-9]{1,9})?\\.[a-z]{2,10}"
        ) {
            let email = Email::parse(&address).unwrap();
            prop_assert_eq!(email.as_str(), address);
        }
    }
}
