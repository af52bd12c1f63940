//! Every sentence a visitor can read as the outcome of a form: those of
//! `content/forms.toml`, and for whatever it leaves out those of
//! `contract/messages.json`.

use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
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

#[cfg(test)]
mod tests {
    use super::Messages;

    #[test]
    fn the_default_messages_fit_their_type() {
        let file = include_str!("../../contract/messages.json");
        let messages: Messages = serde_json::from_str(file).unwrap();
        assert_eq!(messages.required, "Please fill in all required fields");
    }
}
