//! The words a subscriber agrees to, from `content/blog.toml` at build time.
//!
//! They are stored with every subscription: the law asks who agreed to what.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::Consent;
use crate::site::{SITE, Site};

#[derive(Deserialize)]
struct Blog {
    newsletter: Newsletter,
}

#[derive(Deserialize)]
struct Newsletter {
    consent: String,
    consent_version: u32,
}

struct Wording {
    version: u32,
    words: String,
}

static WORDING: LazyLock<Wording> = LazyLock::new(|| {
    let blog: Blog = toml::from_str(include_str!("../content/blog.toml"))
        .expect("content/blog.toml is checked when the site is built and by a test");
    Wording {
        version: blog.newsletter.consent_version,
        words: fill(&blog.newsletter.consent, &SITE),
    }
});

/// The site's facts in their places, as on the page.
fn fill(words: &str, site: &Site) -> String {
    [
        ("{site.name}", &site.name),
        ("{site.url}", &site.url),
        ("{site.email}", &site.email),
        ("{site.phone}", &site.phone),
        ("{site.location}", &site.location),
    ]
    .into_iter()
    .fold(words.to_owned(), |text, (place, fact)| {
        text.replace(place, fact)
    })
}

/// The consent behind the version that a page says it showed. A page from
/// before the last change of the wording may still be open somewhere; a
/// version that cannot be counts as the present one.
pub fn consent_shown(version: Option<u32>) -> Consent {
    match version {
        Some(older) if (1..WORDING.version).contains(&older) => Consent {
            version: older,
            wording: None,
        },
        _ => Consent {
            version: WORDING.version,
            wording: Some(WORDING.words.clone()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_name_who_asks_and_have_no_place_left_open() {
        let consent = consent_shown(None);
        let words = consent.wording.unwrap();
        assert!(
            words.contains(&SITE.name) && words.contains(&SITE.email),
            "{words}"
        );
        assert!(!words.contains('{'), "{words}");
        assert!(consent.version > 0);
    }

    #[test]
    fn a_version_that_cannot_be_counts_as_the_present_one() {
        let present = consent_shown(None);
        assert_eq!(consent_shown(Some(present.version)), present);
        assert_eq!(consent_shown(Some(u32::MAX)), present);
        assert_eq!(consent_shown(Some(0)), present);
    }
}
