//! The mail that tells the owner that a lead is held back.
//!
//! It carries none of the visitor's words: most of what is held is spam, and
//! none of it should reach the owner's inbox unasked.

use super::Letter;
use super::page::{escape, page};
use crate::content::Site;
use crate::domain::HoldReason;
use crate::store::Lead;

/// `number`: so many are held; `lead` is the latest of them.
pub fn letter(site: &Site, lead: &Lead, number: u64) -> Letter {
    let words = match number {
        1 => Words::for_one(lead),
        _ => Words::for_many(lead, number),
    };
    let subject = format!("{} ({})", words.subject, site.name);
    Letter {
        text: text(&words),
        html: page(site, &subject, &html(&words)),
        subject,
    }
}

struct Words {
    subject: String,
    what: String,
    commands: String,
}

impl Words {
    fn for_one(lead: &Lead) -> Self {
        let why = why(lead.hold_reason.as_deref());
        Self {
            subject: "A message is held back".into(),
            what: format!(
                "A message from the contact form is stored but was not passed on: {why}. \
                If a person wrote it, that person waits for an answer."
            ),
            commands: commands(&lead.id),
        }
    }

    fn for_many(latest: &Lead, number: u64) -> Self {
        Self {
            subject: format!("{number} messages are held back"),
            what: format!(
                "{number} messages from the contact form are stored but were not passed on, \
                because they look as if a program had sent them. Whoever is a person waits for \
                an answer. The latest is named below."
            ),
            commands: commands(&latest.id),
        }
    }
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
        None => "it looks as if a program had sent it",
    }
}

fn text(words: &Words) -> String {
    let Words { what, commands, .. } = words;
    format!("{what}\n\n{commands}\n\n-- \nAt most one such mail an hour.\n")
}

fn html(words: &Words) -> String {
    let (what, commands) = (escape(&words.what), escape(&words.commands));
    format!(
        r#"<p style="margin:0 0 16px">{what}</p>
<pre style="margin:0 0 16px;white-space:pre-wrap">{commands}</pre>
<p style="margin:0;color:#5b5966;font-size:13px">At most one such mail an hour.</p>"#
    )
}
