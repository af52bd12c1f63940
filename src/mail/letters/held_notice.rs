//! The mail that tells the owner that a lead is held back.
//!
//! It carries none of the visitor's words: most of what is held is spam, and
//! none of it should reach the owner's inbox unasked.

use super::Letter;
use crate::content::Site;
use crate::domain::HoldReason;
use crate::mail::page::{SMALL, safe};
use crate::store::Lead;

const END: &str = "At most one such mail an hour.";

/// `number`: so many are held; `lead` is the latest of them.
pub fn letter(site: &Site, lead: &Lead, number: u64) -> Letter {
    let (subject, what) = match number {
        1 => one(lead),
        _ => many(number),
    };
    let (subject, commands) = (format!("{subject} ({})", site.name), commands(&lead.id));
    let text = format!("{what}\n\n{commands}\n\n-- \n{END}\n");
    let (what, commands) = (safe(&what), safe(&commands));
    let html = format!(
        r#"<p style="margin:0 0 16px">{what}</p>
<pre style="margin:0 0 16px;white-space:pre-wrap">{commands}</pre>
<p style="margin:0;{SMALL}">{END}</p>"#
    );
    Letter::new(site, subject, text, &html)
}

fn one(lead: &Lead) -> (String, String) {
    let why = why(lead.hold_reason.as_deref());
    let what = format!(
        "A message from the contact form is stored but was not passed on: {why}. \
        If a person wrote it, that person waits for an answer."
    );
    ("A message is held back".into(), what)
}

fn many(number: u64) -> (String, String) {
    let what = format!(
        "{number} messages from the contact form are stored but were not passed on, \
        because they look like spam, or as if a program had sent them. Whoever is a person waits for \
        an answer. The latest is named below."
    );
    (format!("{number} messages are held back"), what)
}

fn commands(id: &str) -> String {
    format!(
        "See what is held:  frontdoor leads list --held\n\
        Read this one:     frontdoor leads show {id}\n\
        Pass it on:        frontdoor leads release {id}"
    )
}

fn why(reason: Option<&str>) -> &'static str {
    match reason.and_then(|word| word.parse().ok()) {
        Some(HoldReason::Decoy) => "a field that no visitor sees was filled in",
        Some(HoldReason::TooFast) => "it was sent faster than a person types",
        Some(HoldReason::SpamScore) => "it reads like spam",
        None => "it looks as if a program had sent it",
    }
}
