//! Checks a release before it is published: this program must be able to serve it, and mails must
//! be able to use its facts. The web build checks links, inline hashes and sizes.

use jiff::tz::TimeZone;
use lettre::Address;
use serde_json::Value;
use url::Url;

use super::head_injection::HeadInjection;
use super::release::{Edition, Kind, Release};
use super::{PageTable, TemplateWords};
use crate::config::MIN_UNCONFIRMED;

/// Paths that the program itself handles; a page there would replace them.
const NO_PAGES: [&str; 2] = ["/api/", "/newsletter/"];

/// The reasons not to publish it, one per line.
pub fn faults(release: &Release, words: &[TemplateWords]) -> Vec<String> {
    let mut faults = fact_faults(release);
    let editions = release.editions().iter();
    for fault in editions.flat_map(|edition| edition_faults(edition, words)) {
        // Editions share most of their files.
        if !faults.contains(&fault) {
            faults.push(fault);
        }
    }
    faults
}

fn edition_faults(edition: &Edition, words: &[TemplateWords]) -> Vec<String> {
    let built = PageTable::build(edition, &HeadInjection::default(), words);
    let refused = built.err();
    let refused = refused.map(|error| format!("this program cannot serve it: {error:#}"));
    let mut faults = Vec::from_iter(refused);
    for file in &edition.files {
        let (path, status) = (&file.path, file.status);
        if NO_PAGES.iter().any(|taken| path.starts_with(taken)) {
            faults.push(format!("{path}: the program itself answers there"));
        }
        let is_right = match file.kind {
            Kind::Template if path.ends_with("not-found") => status == 404,
            Kind::Template => matches!(status, 200 | 400..=499),
            _ => status == 200,
        };
        if !is_right {
            faults.push(format!("{path}: {status} is not its status"));
        }
    }
    faults
}

fn fact_faults(release: &Release) -> Vec<String> {
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
    if (1..MIN_UNCONFIRMED).contains(&kept.unconfirmed) {
        faults.push(format!(
            "unconfirmed sign-ups are kept for less than the {MIN_UNCONFIRMED} days in which they can be confirmed"
        ));
    }
    faults
}

/// Facts are used in mail headers, where a line break would start another header, and in output
/// that programs parse. Only the text of a mail may have several lines.
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

/// Paths are appended to it, and it is used in mail headers.
fn is_address_of_site(text: &str) -> bool {
    let url = Url::parse(text).ok();
    let is_web = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    url.is_some_and(|url| is_web(&url))
        && text.bytes().all(|c| c.is_ascii_graphic())
        && !text.ends_with('/')
        && !text.contains(['?', '#', '@', '<', '>'])
}
