//! Who the newsletter comes from: addresses an issue to one subscriber.

use jiff::Timestamp;
use lettre::message::{Attachment, Mailbox, MultiPart, SinglePart};
use lettre::{Address, Message};

use super::album::Picture;
use super::issue::Issue;
use crate::content::Site;
use crate::domain::LinkToken;
use crate::mail::letters::Letter;
use crate::mail::letters::issue::letter;
use crate::mail::list;

pub struct Publisher {
    pub site: &'static Site,
    pub from: Mailbox,
}

impl Publisher {
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
        let link = list::unsubscribe_url(self.site, unsubscribe);
        let letter = letter(self.site, &issue.subject, &issue.text, &issue.html, &link);
        let (issue_name, domain) = (&issue.id[..16], self.from.email.domain());
        let builder = Message::builder()
            .from(self.from.clone())
            .to(Mailbox::new(None, to.clone()))
            .reply_to(self.site.email.parse()?)
            .date(now.into())
            .message_id(Some(format!("<{issue_name}.{name}@{domain}>")))
            .subject(letter.subject.clone());
        let bodies = bodies(letter, &issue.pictures)?;
        Ok(list::headers(builder, self.site, unsubscribe)?.multipart(bodies)?)
    }
}

/// Plain text, or HTML together with the pictures it shows.
fn bodies(letter: Letter, pictures: &[Picture]) -> anyhow::Result<MultiPart> {
    if pictures.is_empty() {
        return Ok(MultiPart::alternative_plain_html(letter.text, letter.html));
    }
    let mut html = MultiPart::related().singlepart(SinglePart::html(letter.html));
    for picture in pictures {
        let part = Attachment::new_inline(picture.id.clone());
        let part = part.body(picture.bytes.clone(), picture.media_type.parse()?);
        html = html.singlepart(part);
    }
    let plain = MultiPart::alternative().singlepart(SinglePart::plain(letter.text));
    Ok(plain.multipart(html))
}
