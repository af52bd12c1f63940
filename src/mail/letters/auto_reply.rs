//! The mail that thanks the visitor.
//!
//! It repeats nothing the visitor typed, not even the name: anybody can put
//! anybody's address into a form, and we carry no stranger's words.

use super::{Letter, signature};
use crate::content::{MESSAGES, Site};
use crate::mail::page::{SMALL, safe};

pub fn letter(site: &Site) -> Letter {
    let subject = format!("Thank you for your message to {}", site.name);
    Letter::new(site, subject, text(site), &html(site))
}

fn text(site: &Site) -> String {
    format!(
        "Hello,\n\n{}\nYou can expect our answer within 24 hours.\n\n\
        If you would rather talk, book a free strategy call:\n{}\n\n\
        You receive this mail because this address was given in the contact form on\n\
        {}. If that was not you, please ignore it.\n\n{}",
        MESSAGES.contact_sent,
        site.booking_url,
        site.url,
        signature(site),
    )
}

fn html(site: &Site) -> String {
    format!(
        r#"<p>Hello,</p>
<p>{}<br>You can expect our answer within 24 hours.</p>
<p>If you would rather talk, <a href="{}">book a free strategy call</a>.</p>
<p style="{SMALL}">You receive this mail because this address was given in the contact form on {}. If that was not you, please ignore it.</p>
<p style="{SMALL}">{} | {}</p>"#,
        safe(&MESSAGES.contact_sent),
        safe(&site.booking_url),
        safe(&site.url),
        safe(&site.email),
        safe(&site.phone),
    )
}
