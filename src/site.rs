//! The facts about the business, from `content/site.toml` at build time.

use std::sync::LazyLock;

use serde::Deserialize;

/// Who the site belongs to. The same file feeds pages and e-mails.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    pub name: String,
    pub tagline: String,
    /// Where the site is published, without a slash at the end.
    pub url: String,
    pub email: String,
    pub phone: String,
    pub location: String,
    pub booking_url: String,
    pub social: Social,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Social {
    pub twitter: String,
    pub linkedin: String,
    pub instagram: String,
}

/// The site this binary was built for.
pub static SITE: LazyLock<Site> = LazyLock::new(|| {
    toml::from_str(include_str!("../content/site.toml"))
        .expect("content/site.toml is checked when the site is built and by a test")
});

#[cfg(test)]
mod tests {
    use super::SITE;

    #[test]
    fn the_site_facts_are_complete_and_usable_in_links() {
        assert!(!SITE.name.is_empty());
        assert!(SITE.url.starts_with("https://") && !SITE.url.ends_with('/'));
        assert!(SITE.booking_url.starts_with("https://"));
        assert!(SITE.email.contains('@'));
    }
}
