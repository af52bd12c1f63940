//! What the server says by itself must be fit to be said.

use jiff::tz::TimeZone;
use lettre::Address;
use serde_json::Value;
use url::Url;

use super::super::release::Release;
use crate::config::SHORTEST_UNCONFIRMED;

pub fn faults(release: &Release) -> Vec<String> {
    let (site, kept) = (&release.facts.site, &release.facts.retention);
    let mut faults = Vec::new();
    if let Ok(facts) = serde_json::from_str(&release.facts_json) {
        add_control_characters("", &facts, &mut faults);
    }
    if site.name.trim().is_empty() {
        faults.push("the site has no name".into());
    }
    if TimeZone::get(&site.time_zone).is_err() {
        let zone = &site.time_zone;
        faults.push(format!("this program does not know the time zone {zone}"));
    }
    if !site.email.is_ascii() || site.email.parse::<Address>().is_err() {
        let email = &site.email;
        faults.push(format!(
            "no mail can go from or to the site's e-mail {email:?}"
        ));
    }
    if !is_address_of_site(&site.url) {
        let url = &site.url;
        faults.push(format!(
            "{url:?} is no address of a site such as https://www.example.com"
        ));
    }
    if (1..SHORTEST_UNCONFIRMED).contains(&kept.unconfirmed) {
        faults.push(format!(
            "unconfirmed sign-ups are kept for less than the {SHORTEST_UNCONFIRMED} days in which they can be confirmed"
        ));
    }
    faults
}

/// Facts stand in headers of mails, where a line break would begin another header,
/// and in lines that programs read. Only the text of a mail may have several lines.
fn add_control_characters(name: &str, fact: &Value, faults: &mut Vec<String>) {
    match fact {
        Value::String(text) => {
            let has_lines = name.starts_with("mails.") && !name.ends_with(".subject");
            if text.contains(|c: char| c.is_control() && !(has_lines && c == '\n')) {
                faults.push(format!(
                    "{name}: has a line break or another control character"
                ));
            }
        }
        Value::Object(facts) => {
            for (key, fact) in facts {
                let dot = if name.is_empty() { "" } else { "." };
                add_control_characters(&format!("{name}{dot}{key}"), fact, faults);
            }
        }
        _ => {}
    }
}

/// Paths are put behind it, and it stands in headers of mails.
fn is_address_of_site(text: &str) -> bool {
    let url = Url::parse(text).ok();
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    url.is_some_and(|url| is_web(&url))
        && text.bytes().all(|c| c.is_ascii_graphic())
        && !text.ends_with('/')
        && !text.contains(['?', '#', '@', '<', '>'])
}
