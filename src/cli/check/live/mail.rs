//! A real mail to whoever is told of new leads.

use jiff::Timestamp;
use lettre::Message;
use lettre::message::MessageBuilder;

use super::verdict::{Verdict, bad, good, unsure};
use crate::config::MailSettings;
use crate::content::SITE;
use crate::mail::{MailServer, StepError};

pub async fn look(mail: Option<&MailSettings>) -> Vec<Verdict> {
    let Some(mail) = mail else {
        let remedy = "set FRONTDOOR_SMTP_URL to be told of leads, and for the newsletter";
        return vec![unsure("mail", "is off: no mail is sent", remedy)];
    };
    let to: Vec<_> = mail.notify.iter().map(|to| to.email.to_string()).collect();
    vec![match send(mail).await {
        Ok(None) => good(
            "mail",
            format!("a test mail is on its way to {}", to.join(", ")),
        ),
        Ok(Some(left_out)) => bad(
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

/// Whoever was not taken, though others were.
async fn send(mail: &MailSettings) -> Result<Option<String>, String> {
    let message = message(mail).map_err(|error| error.to_string())?;
    let server = MailServer::new(&mail.server).map_err(|error| error.to_string())?;
    let sent = server.send_to_some(&message).await;
    let (session, turned_away) = sent.map_err(StepError::into_reason)?;
    session.end().await;
    let names: Vec<_> = turned_away
        .iter()
        .map(|each| each.recipient.to_string())
        .collect();
    Ok((!names.is_empty()).then(|| names.join(", ")))
}

fn message(mail: &MailSettings) -> anyhow::Result<Message> {
    let builder = Message::builder()
        .from(mail.from.clone())
        .date(Timestamp::now().into())
        .subject(format!("Test mail of {}", SITE.name));
    let builder = mail
        .notify
        .iter()
        .cloned()
        .fold(builder, MessageBuilder::to);
    let text = format!(
        "`frontdoor check --live` was run, and this is the mail it sent: mails about leads of {} \
        reach you.\n",
        SITE.url
    );
    Ok(builder.body(text)?)
}
