//! An issue addressed to one subscriber.

use jiff::Timestamp;
use lettre::message::{Mailbox, MultiPart};
use lettre::{Address, Message};

use super::Issue;
use crate::content::Site;
use crate::domain::LinkToken;
use crate::outbox::mail::list;
use crate::outbox::mail::page::{escape, page};

/// Who the newsletter comes from.
pub struct Sender {
    pub site: &'static Site,
    pub from: Mailbox,
}

impl Sender {
    /// The mail for one subscriber. `name` tells mails of one issue apart: the
    /// same one on every attempt, so that a mailbox can tell a repetition.
    pub fn write(
        &self,
        issue: &Issue,
        to: &Address,
        name: &str,
        unsubscribe: &LinkToken,
        now: Timestamp,
    ) -> anyhow::Result<Message> {
        let site = self.site;
        let link = list::unsubscribe_url(site, unsubscribe);
        let issue_name = &issue.id[..16];
        let builder = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to.clone()))
            .reply_to(site.email.parse()?)
            .date(now.into())
            .message_id(Some(format!(
                "<{issue_name}.{name}@{}>",
                self.from.email.domain()
            )))
            .subject(issue.subject.clone());
        let content = format!("{}{}", issue.html, html_end(site, &link));
        let bodies = MultiPart::alternative_plain_html(
            format!("{}{}", issue.text, text_end(site, &link)),
            page(site, &issue.subject, &content),
        );
        Ok(list::headers(builder, site, unsubscribe)?.multipart(bodies)?)
    }
}

/// Who sent it, how to reach them, how to leave: the law asks for all three.
fn text_end(site: &Site, link: &str) -> String {
    format!(
        "\nYou get this because you subscribed on {url}.\nUnsubscribe: {link}\n\n\
        -- \n{name}, {location}\n{email} | {phone}\n",
        url = site.url,
        name = site.name,
        location = site.location,
        email = site.email,
        phone = site.phone,
    )
}

fn html_end(site: &Site, link: &str) -> String {
    format!(
        r#"<p style="margin:32px 0 0;padding-top:16px;border-top:1px solid #dddbe6;color:#5b5966;font-size:13px">You get this because you subscribed on {}. <a href="{}" style="color:#5b5966">Unsubscribe</a> at any time.</p>"#,
        escape(&site.url),
        escape(link),
    )
}
