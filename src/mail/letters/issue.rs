//! An issue of the newsletter, with what the law asks for at its end: who sent
//! it, how to reach them, how to leave.

use super::{Letter, signature};
use crate::content::Site;
use crate::mail::page::{SMALL, safe};

/// `html`: without the page around it. `link`: to unsubscribe.
pub fn letter(site: &Site, subject: &str, text: &str, html: &str, link: &str) -> Letter {
    let text = format!(
        "{text}\nYou get this because you subscribed on {url}.\nUnsubscribe: {link}\n\n{signature}",
        url = site.url,
        signature = signature(site),
    );
    let content = format!(
        r#"{html}<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #dddbe6;{SMALL}">You get this because you subscribed on {url}. <a href="{link}" style="color:#5b5966">Unsubscribe</a> at any time.</p>"#,
        url = safe(&site.url),
        link = safe(link),
    );
    Letter::new(site, subject.to_owned(), text, &content)
}
