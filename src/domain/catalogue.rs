//! Limits and messages that the browser and the server share.
//!
//! Both sides read the same JSON files under `contract/`, so that a changed
//! word or number cannot be right on one side only.

use std::sync::LazyLock;

use serde::Deserialize;

/// The longest value of each field, in characters.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    pub name: usize,
    pub email: usize,
    pub phone: usize,
    pub message: usize,
}

/// Every sentence a visitor can read as the outcome of a form.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Messages {
    pub required: String,
    pub email_shape: String,
    pub contact_failed: String,
    pub contact_sent: String,
    pub post_not_found: String,
    pub newsletter_email_missing: String,
    pub newsletter_accepted: String,
    pub newsletter_failed: String,
    /// With the places `{field}` and `{limit}`.
    pub too_long: String,
}

/// The limits of `contract/limits.json`.
pub static LIMITS: LazyLock<Limits> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../contract/limits.json"))
        .expect("contract/limits.json is checked by a unit test")
});

/// The messages of `contract/messages.json`.
pub static MESSAGES: LazyLock<Messages> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../contract/messages.json"))
        .expect("contract/messages.json is checked by a unit test")
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shared_files_fit_their_types() {
        assert_eq!(LIMITS.message, 5000);
        assert_eq!(MESSAGES.required, "Please fill in all required fields");
    }
}
