//! The facts about the business, what a subscriber agrees to, how long things are
//! kept and what mails and forms say, as the web build wrote them down when it had
//! checked `content/`.

use std::sync::LazyLock;

use jiff::tz::TimeZone;
use serde::Deserialize;

use super::fields::Fields;
use super::mails::Mails;
use super::messages::Messages;

/// Who the site belongs to. The same facts feed pages and e-mails.
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
    /// Of the times that the owner says and reads, by its IANA name.
    pub time_zone: String,
    pub booking_url: String,
}

impl Site {
    /// The zone; the build has checked its name.
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// Text of `content/` with the facts that it names (`{site.name}`).
    pub fn fill_in(&self, text: &str) -> String {
        let facts = [
            ("{site.name}", &self.name),
            ("{site.tagline}", &self.tagline),
            ("{site.url}", &self.url),
            ("{site.email}", &self.email),
            ("{site.phone}", &self.phone),
            ("{site.location}", &self.location),
            ("{site.booking_url}", &self.booking_url),
        ];
        let fill = |text: String, (token, fact): (&str, &String)| text.replace(token, fact);
        facts.into_iter().fold(text.to_owned(), fill)
    }
}

/// The words beside the newsletter's form, as the page shows them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentWording {
    pub version: u32,
    pub wording: String,
}

/// How long things are kept, in days, as the privacy policy says.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Retention {
    pub leads: u32,
    pub spam: u32,
    pub unconfirmed: u32,
    pub unsubscribed: u32,
    pub deliveries: u32,
    pub links: u32,
    pub refusals: u32,
    pub schedules: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ServerFacts {
    site: Site,
    consent: ConsentWording,
    retention: Retention,
    mails: Mails,
    messages: Messages,
    fields: Fields,
}

static FACTS: LazyLock<ServerFacts> = LazyLock::new(|| {
    let facts: ServerFacts = serde_json::from_str(include_str!("../../web/dist/server.json"))
        .expect("web/dist/server.json is written by the web build and checked by a test");
    ServerFacts {
        fields: facts.fields.named(),
        ..facts
    }
});

/// What visitors read in mails.
pub static MAILS: LazyLock<&'static Mails> = LazyLock::new(|| &FACTS.mails);

/// What forms answer.
pub static MESSAGES: LazyLock<&'static Messages> = LazyLock::new(|| &FACTS.messages);

/// The fields of the contact form.
pub static FIELDS: LazyLock<&'static Fields> = LazyLock::new(|| &FACTS.fields);

/// The site this binary was built for.
pub static SITE: LazyLock<&'static Site> = LazyLock::new(|| &FACTS.site);

/// The consent that the present pages ask for.
pub static CONSENT: LazyLock<&'static ConsentWording> = LazyLock::new(|| &FACTS.consent);

/// What the privacy policy of the present pages promises.
pub static RETENTION: LazyLock<Retention> = LazyLock::new(|| FACTS.retention);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_site_facts_are_complete_and_usable_in_links() {
        assert!(!SITE.name.is_empty());
        assert!(SITE.url.starts_with("https://") && !SITE.url.ends_with('/'));
        assert!(SITE.booking_url.starts_with("https://"));
        assert!(SITE.email.contains('@'));
    }

    #[test]
    fn the_zone_of_the_site_is_known_to_the_program() {
        assert_eq!(SITE.zone().iana_name(), Some(SITE.time_zone.as_str()));
        // Also where the machine has no zones.
        let bundled = jiff::tz::TimeZoneDatabase::bundled();
        assert!(bundled.get(&SITE.time_zone).is_ok());
    }

    #[test]
    fn the_consent_names_who_asks_and_has_no_place_left_open() {
        let words = &CONSENT.wording;
        assert!(
            words.contains(&SITE.name) && words.contains(&SITE.email),
            "{words}"
        );
        assert!(!words.contains('{'), "{words}");
        assert!(CONSENT.version > 0);
    }
}
