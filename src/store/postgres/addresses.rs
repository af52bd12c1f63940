//! Whose lead it is.

/// The leads of the person whose folded address is `key`. Rows of a table that
/// was there before us have none: they are found by the address as it stands.
pub fn are_of(key: &str) -> String {
    format!(
        "(contacts.email_key = {key}
            OR (contacts.email_key = '' AND lower(btrim(contacts.email)) = {key}))"
    )
}
