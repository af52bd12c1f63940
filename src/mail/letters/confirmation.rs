//! The mail that asks a new subscriber to confirm.
//!
//! It carries nothing the visitor typed: anybody can put anybody's address
//! into a form.

use super::Letter;
use crate::content::Site;
use crate::domain::LinkToken;
use crate::mail::list;
use crate::mail::page::{SMALL, button, safe};

pub fn letter(site: &Site, confirm: &LinkToken) -> Letter {
    let subject = format!("Please confirm your subscription to {}", site.name);
    let link = list::confirm_url(site, confirm);
    Letter::new(site, subject, text(site, &link), &html(site, &link))
}

fn text(site: &Site, link: &str) -> String {
    let Site {
        name,
        location,
        url,
        email,
        phone,
        ..
    } = site;
    format!(
        "Hello,\n\n\
        this address was entered to get new articles and tips from {name} by email.\n\
        If that was you, open this page and press the button on it:\n\n\
        {link}\n\n\
        The link works for seven days. If it was not you, do nothing: without your\n\
        confirmation you get nothing else from us.\n\n\
        -- \n{name}, {location}\n{url}\n{email} | {phone}\n"
    )
}

fn html(site: &Site, link: &str) -> String {
    format!(
        r#"<p style="margin-top:0">Hello,</p>
<p>this address was entered to get new articles and tips from {} by email. If that was you, please confirm it:</p>
{}
<p style="{SMALL}">The button opens a page with one more button, so that no mail program can confirm for you. It works for seven days. If it was not you, do nothing: without your confirmation you get nothing else from us.</p>
<p style="margin-bottom:0;{SMALL};overflow-wrap:anywhere">{}</p>"#,
        safe(&site.name),
        button(link, "Confirm my subscription"),
        safe(link),
    )
}
