//! The mail that asks a new subscriber to confirm.
//!
//! It carries nothing the visitor typed: anybody can put anybody's address
//! into a form.

use super::Letter;
use crate::content::{Confirmation, MAILS, Site};
use crate::domain::LinkToken;
use crate::mail::list;
use crate::mail::page::{SMALL, button, safe};

pub fn letter(site: &Site, confirm: &LinkToken) -> Letter {
    let words = &MAILS.confirmation;
    let link = list::confirm_url(site, confirm);
    Letter::new(
        site,
        words.subject.clone(),
        text(site, words, &link),
        &html(site, words, &link),
    )
}

fn text(site: &Site, words: &Confirmation, link: &str) -> String {
    let Confirmation {
        greeting,
        text,
        note,
        ..
    } = words;
    let Site {
        name,
        location,
        url,
        ..
    } = site;
    let contact = site.contact_line();
    format!(
        "{greeting}\n\n{text}\n\n{link}\n\n{note}\n\n\
        -- \n{name}, {location}\n{url}\n{contact}\n"
    )
}

fn html(site: &Site, words: &Confirmation, link: &str) -> String {
    format!(
        r#"<p style="margin-top:0">{}</p>
<p>{}</p>
{}
<p style="{SMALL}">{}</p>
<p style="margin-bottom:0;{SMALL};overflow-wrap:anywhere">{}</p>"#,
        safe(&words.greeting),
        safe(&words.text),
        button(site, link, &words.button),
        safe(&words.note),
        safe(link),
    )
}
