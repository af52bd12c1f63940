//! Validates the shape of an e-mail address.
//!
//! The browser applies the same rule: a local part, one `@`, a domain with a dot, no white space,
//! and nothing that can't be used as a recipient unchanged: no brackets, quotes or lists, no
//! misplaced dot or hyphen. Checks that only the server can make (a part too long in bytes, a
//! domain that DNS rejects) return the same message. Only a mail can show whether the mailbox
//! exists.

use std::sync::LazyLock;

use lettre::Address;
use unicode_normalization::UnicodeNormalization as _;
use url::Host;

use super::text::{CharClass, FieldError, is_invisible, required, text_type, trim};
use crate::content::fields;

text_type!(
    /// An address of valid shape, as the visitor typed it but in Unicode NFC, which mail requires.
    Email
);

impl Email {
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        // A copied address may have invisible characters at its ends.
        let value: String = raw.trim_matches(is_invisible).nfc().collect();
        let value = required(value, &fields().email)?;
        if !has_shape(&value) {
            return Err(FieldError::email_shape(&fields().email));
        }
        Ok(Self(value))
    }
}

/// The mail library must accept the address as well, or the first mail would fail.
fn has_shape(value: &str) -> bool {
    value.split_once('@').is_some_and(|(local, domain)| {
        local.split('.').all(is_atom) && is_domain(domain) && value.parse::<Address>().is_ok()
    })
}

fn is_atom(text: &str) -> bool {
    let is_special = |c| r#""(),:;<>@[\]"#.contains(c);
    !text.is_empty() && !text.contains(|c| is_invisible(c) || is_special(c))
}

/// A name that could be registered, both as typed and as DNS encodes it.
fn is_domain(domain: &str) -> bool {
    let in_dns = || Host::parse(domain);
    is_name(domain)
        && (domain.is_ascii() || matches!(in_dns(), Ok(Host::Domain(name)) if is_name(&name)))
}

fn is_name(domain: &str) -> bool {
    domain.contains('.') && domain.split('.').all(is_label)
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.chars().count())
        && label.chars().all(|c| c == '-' || is_letter(c))
        && !label.starts_with('-')
        && !label.ends_with('-')
}

fn is_letter(c: char) -> bool {
    static LETTERS: LazyLock<CharClass> = LazyLock::new(|| CharClass::new(r"[\p{L}\p{M}\p{N}]"));
    LETTERS.contains(c) && !is_invisible(c)
}

/// The normalized form under which an address is looked up: ` Ärger@Example.ORG` and
/// `ärger@example.org` are the same person, whether letters are composed or decomposed.
///
/// It uses canonical normalization and lower case only: compatibility forms and full case folding
/// (`ß` as `ss`, `①` as `1`) would merge two people with different mailboxes, and deleting the
/// wrong one's data can't be undone. Both lower-case sigmas count as one letter.
pub fn email_key(address: &str) -> String {
    let address = trim(address);
    if address.is_ascii() {
        // Fast path for nearly all addresses.
        return address.to_ascii_lowercase();
    }
    let lower = address.nfd().flat_map(char::to_lowercase);
    let one_sigma = lower.map(|letter| if letter == 'ς' { 'σ' } else { letter });
    one_sigma.nfc().collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LETTERS: &str = "[a-c@. \\t\\x00é例\"<>(),;:\\\\\\[\\]'+_-]{0,14}";

    #[test]
    fn spellings_of_one_address_fold_into_one() {
        for (spelling, folded) in [
            (" Ada@Example.ORG ", "ada@example.org"),
            ("ÄRGER@example.org", "ärger@example.org"),
            ("A\u{308}rger@example.org", "ärger@example.org"),
            ("ΟΔΟΣ@example.org", "οδοσ@example.org"),
            ("οδος@example.org", "οδοσ@example.org"),
        ] {
            assert_eq!(email_key(spelling), folded, "{spelling}");
        }
    }

    #[test]
    fn different_mailboxes_stay_different() {
        assert_ne!(email_key("straße@b.ca"), email_key("strasse@b.ca"));
        assert_ne!(email_key("①@b.ca"), email_key("1@b.ca"));
        assert_ne!(email_key("arger@b.ca"), email_key("ärger@b.ca"));
    }

    proptest! {
        #[test]
        fn folding_twice_is_folding_once(address in any::<String>()) {
            let once = email_key(&address);
            prop_assert_eq!(email_key(&once), once);
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
        fn an_ordinary_address_parses_unchanged(
            address in "[a-zA-Z0-9+_-]{1,9}(\\.[a-z0-9]{1,9}){0,3}@[a-z0-9]{1,20}(-[a-z0-9]{1,9})?\\.[a-z]{2,10}"
        ) {
            let email = Email::parse(&address).unwrap();
            prop_assert_eq!(email.as_str(), address);
        }
    }
}
