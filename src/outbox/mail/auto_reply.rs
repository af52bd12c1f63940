//! The mail that thanks the visitor.
//!
//! It repeats nothing the visitor typed, not even the name: anybody can put
//! anybody's address into a form, and we carry no stranger's words.

use super::Letter;
use super::page::{escape, page};
use crate::content::MESSAGES;
use crate::content::Site;

pub fn letter(site: &Site) -> Letter {
    let subject = format!("Thank you for your message to {}", site.name);
    Letter {
        text: text(site),
        html: page(site, &subject, &html(site)),
        subject,
    }
}

fn text(site: &Site) -> String {
    format!(
        "Hello,\n\n{}\nYou can expect our answer within 24 hours.\n\n\
        If you would rather talk, book a free strategy call:\n{}\n\n\
        You receive this mail because this address was given in the contact form on\n\
        {}. If that was not you, please ignore it.\n\n\
        -- \n{}, {}\n{} | {}\n",
        MESSAGES.contact_sent,
        site.booking_url,
        site.url,
        site.name,
        site.location,
        site.email,
        site.phone,
    )
}

fn html(site: &Site) -> String {
    format!(
        r#"<p>Hello,</p>
<p>{}<br>You can expect our answer within 24 hours.</p>
<p>If you would rather talk, <a href="{}">book a free strategy call</a>.</p>
<p style="color:#5b5966;font-size:13px">You receive this mail because this address was given in the contact form on {}. If that was not you, please ignore it.</p>
<p style="color:#5b5966;font-size:13px">{} | {}</p>"#,
        escape(&MESSAGES.contact_sent),
        escape(&site.booking_url),
        escape(&site.url),
        escape(&site.email),
        escape(&site.phone),
    )
}
