//! Texts and colours of forms and mails: the defaults in `contract/`, overridden by the owner's
//! `content/forms.toml`, `content/mails.toml` and the colours in `content/site.toml`.

use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

/// One field of the contact form. `contract/fields.json` sets its limit and whether it is required.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// The name in forms, JSON, CSV and the store.
    #[serde(skip)]
    pub name: &'static str,
    pub label: String,
    sentence: Option<String>,
    /// In characters.
    pub limit: usize,
    pub required: bool,
}

impl Field {
    /// The label as written in a sentence.
    pub fn in_a_sentence(&self) -> &str {
        self.sentence.as_ref().unwrap_or(&self.label)
    }
}

macro_rules! fields {
    ($($name:ident),+) => {
        /// All fields of the contact form.
        #[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct Fields {
            $(pub $name: Field,)+
        }

        impl Fields {
            pub const NAMES: &'static [&'static str] = &[$(stringify!($name)),+];

            /// In the order of the form.
            pub fn all(&self) -> impl Iterator<Item = &Field> {
                [$(&self.$name),+].into_iter()
            }

            pub(super) fn named(mut self) -> Self {
                $(self.$name.name = stringify!($name);)+
                self
            }
        }
    };
}

fields!(name, email, phone, message);

/// Every message that a visitor can see as the result of a form.
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
    /// Has the placeholders `{field}` and `{limit}`.
    pub too_long: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mails {
    pub auto_reply: AutoReply,
    pub confirmation: Confirmation,
    pub newsletter: NewsletterFooter,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AutoReply {
    pub subject: String,
    pub greeting: String,
    pub promise: String,
    /// The text before the booking link, and the label of its button.
    pub talk: String,
    pub booking: String,
    /// Why the visitor gets this mail.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    pub subject: String,
    pub greeting: String,
    pub text: String,
    pub button: String,
    pub note: String,
}

/// The footer of every newsletter issue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewsletterFooter {
    pub reason: String,
    pub unsubscribe: String,
}

/// A text that a reply at the desk can start with.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SavedReply {
    pub name: String,
    pub text: String,
}

/// The accent colours of mails; the others are plain dark and light.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailColours {
    /// The background of the header with the site's name.
    pub head: Colour,
    /// Buttons, and links on a light background.
    pub button: Colour,
    /// Links on a dark background.
    pub link: Colour,
}

impl Default for MailColours {
    fn default() -> Self {
        static DEFAULTS: LazyLock<MailColours> = LazyLock::new(|| {
            serde_json::from_str(include_str!("../../contract/mail-colours.json"))
                .expect("a test reads contract/mail-colours.json")
        });
        DEFAULTS.clone()
    }
}

/// A colour in CSS notation, `#09080f`. No other text can reach a style.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Colour(String);

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').unwrap_or_default();
        if digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            Ok(Colour(text))
        } else {
            Err(format!("{text} isn't a colour like #09080f"))
        }
    }
}

impl Display for Colour {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::{fields, mails};

    #[test]
    fn no_mail_has_a_placeholder_left() {
        let texts = format!("{:?}", *mails());
        assert!(!texts.contains("{site."), "{texts}");
    }

    #[test]
    fn only_a_colour_comes_into_a_style() {
        assert_eq!(MailColours::default().head.to_string(), "#09080f");
        for text in ["", "red", "#fff", "#09080g", "#09080f;color:red", "09080f#"] {
            assert!(Colour::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn the_fields_are_those_of_the_file_in_its_order() {
        let file = include_str!("../../contract/fields.json");
        let fields: Fields = serde_json::from_str(file).unwrap();
        let fields = fields.named();
        let position = |field: &Field| file.find(&format!("\"{}\": {{", field.name));
        let positions: Vec<_> = fields.all().map(position).collect();
        assert!(
            positions.is_sorted() && !positions.contains(&None),
            "{positions:?}"
        );
        assert_eq!(fields.email.in_a_sentence(), "Email address");
        assert_eq!(fields.message.in_a_sentence(), fields.message.label);
    }

    #[test]
    fn the_privacy_policy_names_every_field_of_the_contact_form() {
        let policy = include_str!("../../tests/content/legal/privacy.md").to_lowercase();
        let mut sections = policy.split("\n### ");
        let section = sections.find(|text| text.lines().next().unwrap().contains("contact form"));
        let section = section.expect("a section about the contact form");
        for field in fields().all() {
            let (label, phrase) = (&field.label, field.in_a_sentence());
            let is_named = [label, phrase].map(|word| section.contains(&word.to_lowercase()));
            assert!(is_named.contains(&true), "{label} isn't in:\n{section}");
        }
    }
}
