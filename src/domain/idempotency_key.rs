//! The key with which a browser marks one filled-in form, so that sending it
//! twice stores one lead.

use super::FieldError;

const MAX_LENGTH: usize = 255;

/// 1 to 255 printable ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// `None` when there is no key: an empty value is as good as none.
    pub fn parse(raw: &str) -> Result<Option<Self>, FieldError> {
        let value = raw.trim();
        if value.is_empty() {
            return Ok(None);
        }
        let printable = value.bytes().all(|b| (b' '..=b'~').contains(&b));
        if value.len() > MAX_LENGTH || !printable {
            let message = format!("Idempotency key must be at most {MAX_LENGTH} ASCII characters");
            return Err(FieldError::new("idempotency_key", message));
        }
        Ok(Some(Self(value.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_empty_key_is_no_key() {
        assert_eq!(IdempotencyKey::parse("  "), Ok(None));
    }

    #[test]
    fn a_long_or_unprintable_key_is_refused() {
        assert!(IdempotencyKey::parse(&"k".repeat(256)).is_err());
        assert!(IdempotencyKey::parse("a\nb").is_err());
    }

    proptest! {
        #[test]
        fn a_parsed_key_is_short_printable_ascii(raw in any::<String>()) {
            if let Ok(Some(key)) = IdempotencyKey::parse(&raw) {
                prop_assert!((1..=MAX_LENGTH).contains(&key.as_str().len()));
                prop_assert!(key.as_str().is_ascii());
            }
        }
    }
}
