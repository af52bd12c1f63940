//! The colours of mails that are not simply dark or light: those of
//! `contract/mail-colours.json`, or their shades in the colours that the owner has
//! chosen in `content/site.toml`.

use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MailColours {
    /// The ground behind the name of the site.
    pub head: Colour,
    /// Also links on a light ground.
    pub button: Colour,
    /// Links on a dark ground.
    pub link: Colour,
}

impl Default for MailColours {
    fn default() -> Self {
        static DRAWN: LazyLock<MailColours> = LazyLock::new(|| {
            serde_json::from_str(include_str!("../../contract/mail-colours.json"))
                .expect("a test reads contract/mail-colours.json")
        });
        DRAWN.clone()
    }
}

/// As styles write it: `#09080f`. Nothing else can stand in a style.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Colour(String);

impl TryFrom<String> for Colour {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let digits = text.strip_prefix('#').unwrap_or_default();
        let is_hex = digits.len() == 6 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        if is_hex {
            Ok(Colour(text))
        } else {
            Err(format!("{text} is no colour such as #09080f"))
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

    #[test]
    fn the_default_colours_are_colours() {
        assert_eq!(MailColours::default().head.to_string(), "#09080f");
    }

    #[test]
    fn only_a_colour_comes_into_a_style() {
        for text in ["", "red", "#fff", "#09080g", "#09080f;color:red", "09080f#"] {
            assert!(Colour::try_from(text.to_owned()).is_err(), "{text}");
        }
    }
}
