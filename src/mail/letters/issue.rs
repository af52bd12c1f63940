//! An issue of the newsletter, with what the law asks for at its end: who sent
//! it, how to reach them, how to leave.

use super::{Letter, signature};
use crate::content::{MAILS, Site};
use crate::mail::page::{SMALL, colour_links, safe};

/// `html`: without the page around it. `link`: to unsubscribe.
pub fn letter(site: &Site, subject: &str, text: &str, html: &str, link: &str) -> Letter {
    let words = &MAILS.newsletter;
    let text = format!(
        "{text}\n{reason}\n{unsubscribe}: {link}\n\n{signature}",
        reason = words.reason,
        unsubscribe = words.unsubscribe,
        signature = signature(site),
    );
    let content = format!(
        r#"{html}<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #dddbe6;{SMALL}">{reason} <a href="{link}" style="color:#5b5966">{unsubscribe}</a></p>"#,
        reason = safe(&words.reason),
        html = colour_links(site, html),
        unsubscribe = safe(&words.unsubscribe),
        link = safe(link),
    );
    Letter::new(site, subject.to_owned(), text, &content)
}
