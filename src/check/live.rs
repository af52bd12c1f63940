//! What `frontdoor check --live` adds: it tests the site from outside, as visitors reach it, and
//! sends a test mail and a test call.
//!
//! Each probe has a time limit, and independent probes run at once. A probe that can't tell says
//! so.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use ipnet::IpNet;
use jiff::Timestamp;
use lettre::message::MessageBuilder;
use lettre::{Address, Message};
use tokio::time::timeout;
use url::Url;

use super::dns::{self, Resolver};
use super::web::{self, PublicSite};
use super::{Finding, State, bad, good, machine, unwritten, write};
use crate::config::{MailSettings, Settings, WebhookSettings, web_url};
use crate::content::site;
use crate::mail::MailServer;
use crate::outbox::webhook::Webhook;
use crate::outbox::worker::SendResult;
use crate::store::{Store, StoreError};

const PROBE_TIMEOUT: Duration = Duration::from_secs(45);

#[derive(Args, Debug, Default)]
pub struct LiveArgs {
    /// Also test the running site: its public address, DNS, TLS, a test mail, a test call to
    /// the webhook, and a test lead that is removed again
    #[arg(long)]
    pub live: bool,

    /// The public address of the site [default: `url` of content/site.toml]
    #[arg(long, value_name = "URL", requires = "live", value_parser = web_url)]
    url: Option<Url>,

    /// Use this name server instead of the machine's
    #[arg(long, value_name = "ADDRESS:PORT", requires = "live")]
    resolver: Option<SocketAddr>,

    /// DKIM selector: the name of the key that your mail provider signs with
    #[arg(long, value_name = "NAME", requires = "live")]
    dkim_selector: Option<String>,
}

pub async fn live(
    args: &LiveArgs,
    settings: &Settings,
    store: Result<&Store, &StoreError>,
) -> Result<Vec<Finding>> {
    let url = match &args.url {
        Some(url) => url.clone(),
        None => {
            web_url(&site().url).map_err(|problem| anyhow!("url in content/site.toml {problem}"))?
        }
    };
    let resolver = Resolver::new(args.resolver);
    let selector = args.dkim_selector.as_deref();
    let outside = async {
        let site = PublicSite::find(url, &resolver).await;
        let site = site.context("can't prepare calls to the site")?;
        let names = dns::site_names(&resolver, &site.host, &site.addresses);
        let (names, web, lead) = tokio::join!(
            within("DNS", names),
            within("site", web::findings(&site)),
            lead(store, &site, &settings.network.trusted_proxies),
        );
        anyhow::Ok([lead, names, web].concat())
    };
    let records = dns::mail_records(&resolver, settings.mail.as_ref(), selector);
    let (service, outside, records, mail, webhook) = tokio::join!(
        within("service", machine::service()),
        outside,
        within("DNS", records),
        test_mail(settings.mail.as_ref()),
        test_call(settings.webhook.as_ref()),
    );
    Ok([service, outside?, records, mail, webhook].concat())
}

async fn within(
    check: &'static str,
    probe: impl Future<Output: IntoIterator<Item = Finding>>,
) -> Vec<Finding> {
    if let Ok(found) = timeout(PROBE_TIMEOUT, probe).await {
        return found.into_iter().collect();
    }
    let seconds = PROBE_TIMEOUT.as_secs();
    let remedy = "see whether it is running and can be reached from this machine, then check again";
    vec![bad!(check, "no answer within {seconds} s").fix(remedy)]
}

/// Whether a lead can be stored, and whether the site stores it.
async fn lead(
    store: Result<&Store, &StoreError>,
    site: &PublicSite,
    proxies: &[IpNet],
) -> Vec<Finding> {
    let store = match store {
        Ok(store) => store,
        Err(error) => return vec![unwritten(error)],
    };
    let written = write(store).await;
    match written.state {
        State::Good => [vec![written], web::test_lead(store, site, proxies).await].concat(),
        _ => vec![written],
    }
}

/// Sends a real mail to everybody who gets the mails about new leads.
pub async fn test_mail(mail: Option<&MailSettings>) -> Vec<Finding> {
    within("mail", async { Some(mailed(mail?).await) }).await
}

async fn mailed(mail: &MailSettings) -> Finding {
    match send_mail(mail).await {
        Ok((to, refused)) if refused.is_empty() => {
            good!("mail", "a test mail is on its way to {to}")
        }
        Ok((_, refused)) => {
            bad!("mail", "the mail server refuses {refused}").fix("fix FRONTDOOR_NOTIFY_EMAIL")
        }
        Err(why) => bad!("mail", "{why:#}").fix(
            "fix FRONTDOOR_SMTP_URL (user, password, host, port) or FRONTDOOR_MAIL_FROM; write an \
            @, :, / or % in the password as %40, %3A, %2F or %25",
        ),
    }
}

/// Sends a test mail; returns the recipients, and which of them were refused.
async fn send_mail(mail: &MailSettings) -> Result<(String, String)> {
    let builder = Message::builder()
        .from(mail.from()?)
        .date(Timestamp::now().into())
        .subject(format!("Test mail of {}", site().name));
    let text = format!(
        "A test by `frontdoor check --live` or from the desk: mails about the leads of {} reach you.\n",
        site().url
    );
    let recipients = mail.notify()?.into_iter();
    let message = recipients.fold(builder, MessageBuilder::to).body(text)?;
    let refused = MailServer::new(&mail.server)?.send(&message).await?;
    let names = |all: &mut dyn Iterator<Item = &Address>| {
        let names: Vec<_> = all.map(ToString::to_string).collect();
        names.join(", ")
    };
    let to = names(&mut message.envelope().to().iter());
    Ok((to, names(&mut refused.iter().map(|each| &each.recipient))))
}

/// Makes a call to the automation, signed where there is a secret.
pub async fn test_call(settings: Option<&WebhookSettings>) -> Vec<Finding> {
    within("webhook", async { Some(called(settings?).await) }).await
}

async fn called(settings: &WebhookSettings) -> Finding {
    let verdict = match Webhook::new(settings) {
        Ok(webhook) => webhook.test(Timestamp::now()).await,
        Err(error) => SendResult::failed(error.to_string()),
    };
    let signed = match settings.secret {
        Some(_) => "a signed",
        None => "an unsigned",
    };
    let reason = match verdict {
        SendResult::Accepted => None,
        SendResult::Failed { reason, .. } | SendResult::Refused(reason) => Some(reason),
        _ => Some("no answer".into()),
    };
    let remedy = match reason.as_deref() {
        Some("status 401" | "status 403") => {
            "does the automation have the same FRONTDOOR_WEBHOOK_SECRET, or FRONTDOOR_WEBHOOK_HEADER?"
        }
        _ => "look at the automation: is it on, and is FRONTDOOR_WEBHOOK_URL its current address?",
    };
    match reason {
        None => good!(
            "webhook",
            "accepted {signed} test call (frontdoor-event: test)"
        ),
        Some(reason) => bad!("webhook", "{signed} test call failed: {reason}").fix(remedy),
    }
}
