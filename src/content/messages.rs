//! Every sentence a visitor can read as the outcome of a form.

use std::sync::LazyLock;

use serde::Deserialize;

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

/// The messages of `contract/messages.json`.
pub static MESSAGES: LazyLock<Messages> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../contract/messages.json"))
        .expect("contract/messages.json is checked by a unit test")
});

#[cfg(test)]
mod tests {
    use super::MESSAGES;

    #[test]
    fn the_messages_fit_their_type() {
        assert_eq!(MESSAGES.required, "Please fill in all required fields");
    }
}
