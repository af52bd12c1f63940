//! Mails to visitors and subscribers.
//!
//! They repeat nothing that was typed, not even the name, because anyone can enter another person's
//! address in a form. Only the booking link carries name and address, percent-encoded.

use super::template::{Block, MailText, SMALL, colour_links, page};
use crate::content::{Site, mails, messages};
use crate::domain::SecretToken;
use crate::html::escape;
use crate::store::{Lead, Reply};

pub fn auto_reply(site: &Site, lead: &Lead) -> MailText {
    let texts = &mails().auto_reply;
    let sent = format!("{}\n{}", messages().contact_sent, texts.promise);
    let blocks = [
        Block::Paragraph(texts.greeting.clone()),
        Block::Paragraph(sent),
        Block::Paragraph(texts.talk.clone()),
        Block::Button {
            url: lead.booking_link(site),
            label: texts.booking.clone(),
        },
        Block::Note(texts.note.clone()),
        Block::Foot {
            text: signature(site),
            html: site.contact_line(),
        },
    ];
    MailText::new(site, texts.subject.clone(), &blocks)
}

/// The owner's reply from the desk. Unlike all other mails it may quote the visitor,
/// because the owner has read the message.
pub fn reply(site: &Site, lead: &Lead, reply: &Reply, auto_replies: bool) -> MailText {
    let mut blocks: Vec<_> = paragraphs(&reply.text).map(Block::Paragraph).collect();
    if reply.booking {
        blocks.push(Block::Button {
            url: lead.booking_link(site),
            label: "Pick a time that suits you".into(),
        });
    }
    blocks.push(Block::Note(signature(site)));
    if reply.quote {
        blocks.push(Block::Note(lead.quoted(site)));
    }
    MailText::new(site, reply_subject(site, auto_replies), &blocks)
}

/// Mail programs show a reply in its thread if it has the subject of the automatic reply.
pub fn reply_subject(site: &Site, auto_replies: bool) -> String {
    if auto_replies {
        format!("Re: {}", mails().auto_reply.subject)
    } else {
        format!("Re: Your message to {}", site.name)
    }
}

fn paragraphs(text: &str) -> impl Iterator<Item = String> {
    let all = text
        .split("\n\n")
        .map(str::trim)
        .filter(|paragraph| !paragraph.is_empty());
    all.map(str::to_owned)
}

pub fn confirmation(site: &Site, token: &SecretToken) -> MailText {
    let texts = &mails().confirmation;
    let link = format!("{}/newsletter/confirm?token={}", site.url, token.as_str());
    let blocks = [
        Block::Paragraph(texts.greeting.clone()),
        Block::Paragraph(texts.text.clone()),
        Block::Button {
            url: link.clone(),
            label: texts.button.clone(),
        },
        Block::Note(texts.note.clone()),
        Block::Foot {
            text: signature(site),
            html: link,
        },
    ];
    MailText::new(site, texts.subject.clone(), &blocks)
}

/// A newsletter issue. Its footer contains what the law requires: the sender, contact details and
/// an unsubscribe link. `html` is the content without the page around it.
pub fn issue(site: &Site, subject: &str, text: &str, html: &str, unsubscribe: &str) -> MailText {
    let texts = &mails().newsletter;
    let (reason, label) = (&texts.reason, &texts.unsubscribe);
    let text = format!(
        "{text}\n{reason}\n{label}: {unsubscribe}\n\n-- \n{}\n",
        signature(site)
    );
    let (reason, label, link) = (escape(reason), escape(label), escape(unsubscribe));
    let html = colour_links(site, html);
    let content = format!(
        r#"{html}<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #dddbe6;{SMALL}">{reason} <a href="{link}" style="color:#5b5966">{label}</a></p>"#
    );
    MailText {
        subject: subject.to_owned(),
        text,
        html: page(site, subject, &content),
    }
}

fn signature(site: &Site) -> String {
    let Site {
        name,
        location,
        url,
        ..
    } = site;
    format!("{name}, {location}\n{url}\n{}", site.contact_line())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    #[test]
    fn every_word_for_visitors_is_in_a_mail_in_both_formats() {
        let facts = include_str!(concat!(env!("FRONTDOOR_WEB_DIST"), "/server.json"));
        let facts: serde_json::Value = serde_json::from_str(facts).unwrap();
        for (name, mail) in [
            ("auto_reply", auto_reply(site(), &Lead::default())),
            ("confirmation", confirmation(site(), &SecretToken::random())),
            (
                "newsletter",
                issue(site(), "News", "News\n", "<p>News</p>", "https://x"),
            ),
        ] {
            for (field, words) in facts["mails"][name].as_object().unwrap() {
                let words = words.as_str().unwrap();
                // Plain text has no buttons.
                let is_button = ["button", "booking"].contains(&field.as_str());
                let is_there = mail.text.contains(words) || mail.subject == words || is_button;
                assert!(is_there, "{name}.{field} isn't in:\n{}", mail.text);
                assert!(mail.html.contains(&escape(words)), "{name}.{field}");
            }
        }
    }
}
