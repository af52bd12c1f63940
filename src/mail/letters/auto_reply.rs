//! The mail that thanks the visitor.
//!
//! It repeats nothing the visitor typed, not even the name: anybody can put
//! anybody's address into a form, and we carry no stranger's words.

use super::{Letter, signature};
use crate::content::{AutoReply, MAILS, MESSAGES, Site};
use crate::mail::page::{SMALL, button, safe};

pub fn letter(site: &Site) -> Letter {
    let words = &MAILS.auto_reply;
    Letter::new(
        site,
        words.subject.clone(),
        text(site, words),
        &html(site, words),
    )
}

fn text(site: &Site, words: &AutoReply) -> String {
    format!(
        "{}\n\n{}\n{}\n\n{}\n{}\n\n{}\n\n{}",
        words.greeting,
        MESSAGES.contact_sent,
        words.promise,
        words.talk,
        site.booking_url,
        words.note,
        signature(site),
    )
}

fn html(site: &Site, words: &AutoReply) -> String {
    format!(
        r#"<p style="margin-top:0">{}</p>
<p>{}<br>{}</p>
<p>{}</p>
{}
<p style="{SMALL}">{}</p>
<p style="margin-bottom:0;{SMALL}">{}</p>"#,
        safe(&words.greeting),
        safe(&MESSAGES.contact_sent),
        safe(&words.promise),
        safe(&words.talk),
        button(site, &site.booking_url, &words.booking),
        safe(&words.note),
        safe(&site.contact_line()),
    )
}
