//! An e-mail address, checked for its shape only.
//!
//! The rule is the browser's too: something, one `@`, something with a dot
//! inside, no white space. Whether the mailbox exists, only mail can tell.

use super::text::{text_type, trim, within};
use super::{FieldError, LIMITS};

text_type!(
    /// An address of the right shape, as the visitor wrote it.
    Email
);

impl Email {
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        let value = trim(raw);
        // A NUL or another control character alone is as empty as a space.
        if value.chars().all(char::is_control) {
            return Err(FieldError::required("email"));
        }
        within(value, "email", "Email address", LIMITS.email)?;
        if !has_shape(value) {
            return Err(FieldError::email_shape("email"));
        }
        Ok(Self(value.to_owned()))
    }
}

fn has_shape(value: &str) -> bool {
    let forbidden = |c: char| c.is_whitespace() || c.is_control() || c == '\u{feff}';
    let Some((local, domain)) = value.split_once('@') else {
        return false;
    };
    !value.contains(forbidden)
        && !local.is_empty()
        && !domain.contains('@')
        && has_inner_dot(domain)
}

/// A dot that is neither the first nor the last character.
fn has_inner_dot(domain: &str) -> bool {
    let mut inner = domain.chars();
    inner.next();
    inner.next_back();
    inner.any(|c| c == '.')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_parses_has_one_at_sign_an_inner_dot_and_no_space(raw in "[a-c@. \\t\\x00é]{0,12}") {
            if let Ok(email) = Email::parse(&raw) {
                let value = email.as_str();
                prop_assert_eq!(value.matches('@').count(), 1);
                prop_assert!(!value.contains(char::is_whitespace));
                let (local, domain) = value.split_once('@').unwrap();
                prop_assert!(!local.is_empty());
                prop_assert!(domain.trim_matches('.').contains('.') || domain.contains(".."));
            }
        }

        #[test]
        fn any_text_is_parsed_without_a_panic(raw in any::<String>()) {
            let _ = Email::parse(&raw);
        }

        #[test]
        fn an_ordinary_address_parses_unchanged(
            address in "[a-zA-Z0-9.+_-]{1,20}@[a-z0-9]{1,20}\\.[a-z]{2,10}"
        ) {
            let email = Email::parse(&address).unwrap();
            prop_assert_eq!(email.as_str(), address);
        }
    }
}
