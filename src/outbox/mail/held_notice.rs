//! The mail that tells the owner that a lead is held back.
//!
//! It carries none of the visitor's words: most of what is held is spam, and
//! none of it should reach the owner's inbox unasked.

use super::Letter;
use super::page::{escape, page};
use crate::site::Site;
use crate::store::Lead;

pub fn letter(site: &Site, lead: &Lead) -> Letter {
    let subject = format!("A message is held back ({})", site.name);
    let why = why(lead.hold_reason.as_deref());
    Letter {
        text: text(lead, why),
        html: page(site, &subject, &html(lead, why)),
        subject,
    }
}

fn why(reason: Option<&str>) -> &'static str {
    match reason {
        Some("decoy") => "a field that no visitor sees was filled in",
        Some("too_fast") => "it was sent faster than a person types",
        _ => "it looks as if a program had sent it",
    }
}

fn text(lead: &Lead, why: &str) -> String {
    format!(
        "A message from the contact form is stored but was not passed on: {why}.\n\
        If a person wrote it, that person waits for an answer.\n\n\
        See what is held:  frontdoor leads list --held\n\
        Read this one:     frontdoor leads show {id}\n\
        Pass it on:        frontdoor leads release {id}\n\n\
        -- \nAt most one such mail an hour; there may be more messages than this one.\n",
        id = lead.id
    )
}

fn html(lead: &Lead, why: &str) -> String {
    let id = escape(&lead.id);
    format!(
        r#"<p style="margin:0 0 16px">A message from the contact form is stored but was not passed on: {why}. If a person wrote it, that person waits for an answer.</p>
<pre style="margin:0 0 16px;white-space:pre-wrap">frontdoor leads list --held
frontdoor leads show {id}
frontdoor leads release {id}</pre>
<p style="margin:0;color:#5b5966;font-size:13px">At most one such mail an hour; there may be more messages than this one.</p>"#
    )
}
