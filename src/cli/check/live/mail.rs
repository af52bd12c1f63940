//! A real mail to whoever is told of new leads.

use jiff::Timestamp;
use lettre::message::MessageBuilder;
use lettre::{Address, Message};

use super::verdict::{Verdict, bad, good, unsure};
use crate::config::MailSettings;
use crate::content::{Facts, SITE};
use crate::mail::{MailServer, StepError};

pub async fn look(mail: Option<&MailSettings>) -> Vec<Verdict> {
    let Some(mail) = mail else {
        let remedy = "set FRONTDOOR_SMTP_URL to be told of leads, and for the newsletter";
        return vec![unsure("mail", "is off: no mail is sent", remedy)];
    };
    vec![match send(mail).await {
        Ok(Sent { to, left_out: None }) => {
            good("mail", format!("a test mail is on its way to {to}"))
        }
        Ok(Sent {
            left_out: Some(left_out),
            ..
        }) => bad(
            "mail",
            format!("the mail server does not take {left_out}"),
            "mend FRONTDOOR_NOTIFY_EMAIL",
        ),
        Err(why) => bad(
            "mail",
            why,
            "mend FRONTDOOR_SMTP_URL (user, password, host, port) or FRONTDOOR_MAIL_FROM; an @, :, / \
            or % in the password is written %40, %3A, %2F, %25",
        ),
    }]
}

struct Sent {
    to: String,
    /// Whoever was not taken, though others were.
    left_out: Option<String>,
}

async fn send(mail: &MailSettings) -> Result<Sent, String> {
    if let Some(reason) = Facts::unreadable() {
        return Err(reason.into());
    }
    let message = message(mail).map_err(|error| error.to_string())?;
    let server = MailServer::new(&mail.server).map_err(|error| error.to_string())?;
    let rejected = server.send(&message).await;
    let rejected = rejected.map_err(StepError::into_reason)?;
    let left_out = rejected.iter().map(|each| &each.recipient);
    Ok(Sent {
        to: names(message.envelope().to()),
        left_out: (!rejected.is_empty()).then(|| names(left_out)),
    })
}

fn names<'a>(all: impl IntoIterator<Item = &'a Address>) -> String {
    let names: Vec<_> = all.into_iter().map(ToString::to_string).collect();
    names.join(", ")
}

fn message(mail: &MailSettings) -> anyhow::Result<Message> {
    let builder = Message::builder()
        .from(mail.from()?)
        .date(Timestamp::now().into())
        .subject(format!("Test mail of {}", SITE.name));
    let builder = mail.notify()?.into_iter().fold(builder, MessageBuilder::to);
    let text = format!(
        "`frontdoor check --live` was run, and this is the mail it sent: mails about leads of {} \
        reach you.\n",
        SITE.url
    );
    Ok(builder.body(text)?)
}
