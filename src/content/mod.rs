//! Facts and texts that the build reads from `content/` and `contract/`: the business, the consent
//! text, retention periods, and the texts of forms and mails (`texts`). The pages are built from
//! the same files, so server and pages can't disagree.
//!
//! The facts belong to a release: the program starts with the facts it was compiled with, and
//! switches to those of the release it shows: the watcher of releases does that, and commands when
//! they start. Whatever sends mail asks [`SiteFacts::unreadable`] first.

mod texts;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{LazyLock, PoisonError, RwLock};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::{Deserialize, Deserializer};

pub use texts::{
    AutoReply, Colour, Confirmation, Field, Fields, MailColours, Mails, Messages, NewsletterFooter,
    SavedReply,
};

/// The business behind the site, as shown on pages and in mails.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Site {
    pub name: String,
    pub tagline: String,
    /// The site's public URL, without a trailing slash.
    pub url: String,
    pub email: String,
    /// `None` if the owner shows no number.
    pub phone: Option<String>,
    pub location: String,
    /// The IANA name of the owner's time zone.
    pub time_zone: String,
    pub booking_url: String,
    /// The defaults, unless the owner sets their own.
    #[serde(default)]
    pub mail_colours: MailColours,
}

impl Site {
    /// The time zone; the build has checked its name.
    pub fn zone(&self) -> TimeZone {
        TimeZone::get(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// A time in the owner's zone, to the minute.
    pub fn minute(&self, time: Timestamp) -> String {
        let local = time.to_zoned(self.zone());
        local.strftime("%Y-%m-%d %H:%M %Z").to_string()
    }

    /// The midnights before and after a time, in the owner's zone.
    pub fn day_around(&self, time: Timestamp) -> (Timestamp, Timestamp) {
        let date = time.to_zoned(self.zone()).date();
        let midnight = |date: Date| date.to_zoned(self.zone()).map(|local| local.timestamp());
        let next = date.tomorrow().unwrap_or(date);
        (
            midnight(date).unwrap_or(time),
            midnight(next).unwrap_or(time),
        )
    }

    /// The time of a call: `today at 11:30`, `on 2026-03-05 at 11:30`.
    pub fn call_time(&self, call_at: Timestamp, now: Timestamp) -> String {
        let [local, today] = [call_at, now].map(|time| time.to_zoned(self.zone()));
        let day = if local.date() == today.date() {
            "today".to_owned()
        } else {
            format!("on {}", self.day(call_at))
        };
        format!("{day} at {}", local.strftime("%H:%M"))
    }

    pub fn day(&self, time: Timestamp) -> String {
        let local = time.to_zoned(self.zone());
        local.strftime("%Y-%m-%d").to_string()
    }

    /// Replaces placeholders such as `{site.name}` in a text of `content/`.
    pub fn fill_in(&self, text: &str) -> String {
        let facts = [
            ("{site.name}", &self.name),
            ("{site.tagline}", &self.tagline),
            ("{site.url}", &self.url),
            ("{site.email}", &self.email),
            ("{site.location}", &self.location),
            ("{site.booking_url}", &self.booking_url),
        ];
        let phone = self.phone.iter().map(|phone| ("{site.phone}", phone));
        let fill = |text: String, (token, fact): (&str, &String)| text.replace(token, fact);
        facts.into_iter().chain(phone).fold(text.to_owned(), fill)
    }

    pub fn contact_line(&self) -> String {
        match &self.phone {
            Some(phone) => format!("{} | {phone}", self.email),
            None => self.email.clone(),
        }
    }
}

/// The text next to the newsletter form, as the page shows it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConsentWording {
    pub version: u32,
    pub wording: String,
}

/// Retention periods in days, as stated in the privacy policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
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

/// Everything the server itself needs to know about the site.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SiteFacts {
    pub site: Site,
    pub consent: ConsentWording,
    pub retention: Retention,
    pub mails: Mails,
    pub messages: Messages,
    #[serde(deserialize_with = "named")]
    pub fields: Fields,
    /// Absent from releases of earlier builds.
    #[serde(default)]
    pub replies: Vec<SavedReply>,
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Fields, D::Error> {
    Fields::deserialize(deserializer).map(Fields::named)
}

/// The facts in use: at first those that the program was compiled with.
static CURRENT: LazyLock<RwLock<&'static SiteFacts>> = LazyLock::new(|| {
    let file = include_str!(concat!(env!("FRONTDOOR_WEB_DIST"), "/server.json"));
    let facts: SiteFacts = serde_json::from_str(file)
        .expect("server.json is written by the web build and checked by a test");
    RwLock::new(Box::leak(Box::new(facts)))
});

/// Set when the current facts aren't those of the published release.
static UNREADABLE: AtomicBool = AtomicBool::new(false);

impl SiteFacts {
    /// Records that this program can't read the facts of the published release. The current ones
    /// stand in for them and may be another company's.
    pub fn record_unreadable() {
        UNREADABLE.store(true, Ordering::SeqCst);
    }

    /// Why no mail may be sent in the site's name; `None` if its facts can be read.
    pub fn unreadable() -> Option<&'static str> {
        UNREADABLE.load(Ordering::SeqCst).then_some(
            "the facts of the published release can't be read: it is damaged, or was made for \
            another version of this program; use that version, publish a release that was built \
            for this one, or go back with `frontdoor releases rollback`",
        )
    }

    /// Makes these the current facts. Replaced facts, about a kilobyte, are never freed: a mail in
    /// progress may use them.
    pub fn make_current(&self) {
        let mut present = CURRENT.write().unwrap_or_else(PoisonError::into_inner);
        if self != *present {
            *present = Box::leak(Box::new(self.clone()));
        }
        UNREADABLE.store(false, Ordering::SeqCst);
    }
}

fn current() -> &'static SiteFacts {
    *CURRENT.read().unwrap_or_else(PoisonError::into_inner)
}

/// The site that is shown now.
pub fn site() -> &'static Site {
    &current().site
}

pub fn mails() -> &'static Mails {
    &current().mails
}

/// What visitors see after sending a form.
pub fn messages() -> &'static Messages {
    &current().messages
}

pub fn fields() -> &'static Fields {
    &current().fields
}

/// The owner's texts to begin replies with.
pub fn saved_replies() -> &'static [SavedReply] {
    &current().replies
}

/// The consent that the pages ask for now.
pub fn consent() -> &'static ConsentWording {
    &current().consent
}

/// The periods that the privacy policy promises now.
pub fn retention() -> &'static Retention {
    &current().retention
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_zone_of_the_site_is_known_to_the_program() {
        assert_eq!(site().zone().iana_name(), Some(site().time_zone.as_str()));
        // Also on a machine without a time zone database.
        let bundled = jiff::tz::TimeZoneDatabase::bundled();
        assert!(bundled.get(&site().time_zone).is_ok());
    }
}
