//! `frontdoor check --live`: looks from outside as a visitor does, and sends a test mail
//! and a test call.
//!
//! Each probe has a time limit, and those that don't depend on each other run at once. A
//! probe that can't know says so.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context as _, Result};
use clap::Args;
use jiff::Timestamp;
use lettre::message::MessageBuilder;
use lettre::{Address, Message};
use tokio::time::timeout;
use url::Url;

use super::dns::{self, Resolver};
use super::web::{self, PublicSite};
use super::{Finding, bad, good, machine, stored, unsure};
use crate::cli::Usage;
use crate::cli::output::count;
use crate::config::{MailSettings, Settings, WebhookSettings, web_url};
use crate::content::{Facts, site};
use crate::mail::{MailServer, StepError};
use crate::outbox::webhook::Webhook;
use crate::outbox::worker::Verdict;
use crate::store::{OpenMode, Store, StoreError};

const MAIL_LIMIT: Duration = Duration::from_secs(45);
const CALL_LIMIT: Duration = Duration::from_secs(15);
const NAMES_LIMIT: Duration = Duration::from_secs(20);
const PAGES_LIMIT: Duration = Duration::from_secs(30);
const STORE_LIMIT: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub struct LiveArgs {
    /// Look at the running site too: its public address, DNS, TLS, a test mail, a
    /// test call to the webhook, a test lead that is removed again
    #[arg(long)]
    pub live: bool,

    /// The public address of the site [default: `url` of content/site.toml]
    #[arg(long, value_name = "URL", requires = "live", value_parser = web_url)]
    url: Option<Url>,

    /// Ask this name server instead of the machine's
    #[arg(long, value_name = "ADDRESS:PORT", requires = "live")]
    resolver: Option<SocketAddr>,

    /// Name of the key that your mail provider signs with (DKIM)
    #[arg(long, value_name = "NAME", requires = "live")]
    dkim_selector: Option<String>,
}

pub async fn look(
    args: &LiveArgs,
    settings: &Settings,
    carried: &'static [u8],
) -> Result<Vec<Finding>> {
    let url = match &args.url {
        Some(url) => url.clone(),
        None => web_url(&site().url)
            .map_err(|problem| Usage(format!("url in content/site.toml {problem}")))?,
    };
    let resolver = Resolver::new(args.resolver).context("cannot ask for names")?;
    let (mail, webhook) = (settings.mail.as_ref(), settings.webhook.as_ref());
    let selector = args.dkim_selector.as_deref();
    let outside = async {
        let site = PublicSite::find(url, &resolver).await;
        let site = site.context("cannot call out")?;
        let other = dns::other_name(&resolver, &site.host, &site.addresses);
        let (other, web, lead) = tokio::join!(
            within("DNS", NAMES_LIMIT, other),
            within("site", PAGES_LIMIT, web::look(&site)),
            lead(settings, &site),
        );
        let name = dns::addresses(&site.host, &site.addresses);
        anyhow::Ok([lead, vec![name], other, web].concat())
    };
    let stored = async {
        let stored = timeout(STORE_LIMIT, stored(settings, carried)).await;
        stored.unwrap_or_else(|_| Ok(vec![no_answer("database", STORE_LIMIT)]))
    };
    let records = dns::mail_records(&resolver, mail, selector);
    let (machine, stored, outside, mail, webhook, records) = tokio::join!(
        machine::systemd(),
        stored,
        outside,
        within("mail", MAIL_LIMIT, test_mail(mail)),
        within("webhook", CALL_LIMIT, test_call(webhook)),
        within("DNS", NAMES_LIMIT, records),
    );
    Ok([machine, stored?, outside?, records, mail, webhook].concat())
}

async fn within(
    check: &'static str,
    limit: Duration,
    look: impl Future<Output = Vec<Finding>>,
) -> Vec<Finding> {
    let found = timeout(limit, look).await;
    found.unwrap_or_else(|_| vec![no_answer(check, limit)])
}

fn no_answer(check: &'static str, limit: Duration) -> Finding {
    bad(check, format!("no answer within {} s", limit.as_secs()))
        .fix("see whether it is running and can be reached from this machine, then check again")
}

/// Looks at what needs an open database, and sends the test lead.
async fn lead(settings: &Settings, site: &PublicSite) -> Vec<Finding> {
    let fails =
        |error: StoreError| bad("write", error.to_string()).fix("until then every form fails");
    let store = match Store::open(&settings.database, OpenMode::Existing).await {
        Ok(store) => store,
        Err(error) => return vec![fails(error)],
    };
    let mut findings = vec![match store.probe().await {
        Ok(()) => good("write", "a write commits"),
        Err(error) => fails(error),
    }];
    findings.extend(
        given_up(&store)
            .await
            .unwrap_or_else(|error| Some(fails(error))),
    );
    findings.extend(web::test_lead(&store, site, &settings.network.trusted_proxies).await);
    findings.extend(store.close().await.err().map(fails));
    findings
}

async fn given_up(store: &Store) -> Result<Option<Finding>, StoreError> {
    let number = store.delivery_counts().await?.given_up;
    let deliveries = count(number, "delivery was", "deliveries were");
    let remedy = "frontdoor deliveries list --state given_up, then retry";
    let finding = || unsure("deliveries", format!("{deliveries} given up")).fix(remedy);
    Ok((number > 0).then(finding))
}

/// Sends a real mail to everybody who gets the mails about new leads.
async fn test_mail(mail: Option<&MailSettings>) -> Vec<Finding> {
    let Some(mail) = mail else {
        let remedy = "set FRONTDOOR_SMTP_URL to get mails about leads, and for the newsletter";
        return vec![unsure("mail", "is off: no mail is sent").fix(remedy)];
    };
    let remedy = "fix FRONTDOOR_SMTP_URL (user, password, host, port) or FRONTDOOR_MAIL_FROM; an \
        @, :, / or % in the password is written %40, %3A, %2F, %25";
    vec![match send_mail(mail).await {
        Ok((to, refused)) if refused.is_empty() => {
            good("mail", format!("a test mail is on its way to {to}"))
        }
        Ok((_, refused)) => bad("mail", format!("the mail server doesn't take {refused}"))
            .fix("fix FRONTDOOR_NOTIFY_EMAIL"),
        Err(why) => bad("mail", why).fix(remedy),
    }]
}

/// The recipients, and those among them that were refused.
async fn send_mail(mail: &MailSettings) -> Result<(String, String), String> {
    if let Some(reason) = Facts::unreadable() {
        return Err(reason.into());
    }
    let message = message(mail).map_err(|error| error.to_string())?;
    let server = MailServer::new(&mail.server).map_err(|error| error.to_string())?;
    let sent = server.send(&message).await;
    let refused = sent.map_err(StepError::into_reason)?;
    let refused: Vec<_> = refused.iter().map(|each| &each.recipient).collect();
    let to: Vec<_> = message.envelope().to().iter().collect();
    let names = |all: Vec<&Address>| {
        let names: Vec<_> = all.into_iter().map(ToString::to_string).collect();
        names.join(", ")
    };
    Ok((names(to), names(refused)))
}

fn message(mail: &MailSettings) -> Result<Message> {
    let builder = Message::builder()
        .from(mail.from()?)
        .date(Timestamp::now().into())
        .subject(format!("Test mail of {}", site().name));
    let builder = mail.notify()?.into_iter().fold(builder, MessageBuilder::to);
    let text = format!(
        "`frontdoor check --live` sent this mail: mails about the leads of {} reach you.\n",
        site().url
    );
    Ok(builder.body(text)?)
}

/// Makes a call to the automation, signed where there is a secret.
async fn test_call(webhook: Option<&WebhookSettings>) -> Vec<Finding> {
    let Some(settings) = webhook else {
        let remedy = "set FRONTDOOR_WEBHOOK_URL to pass leads on to an automation";
        return vec![unsure("webhook", "is off: leads are only stored").fix(remedy)];
    };
    let verdict = match Webhook::new(settings) {
        Ok(webhook) => webhook.test(Timestamp::now()).await,
        Err(error) => Verdict::failed(error.to_string()),
    };
    let signed = match settings.secret {
        Some(_) => "a signed",
        None => "an unsigned",
    };
    let reason = match verdict {
        Verdict::Accepted => {
            let what = format!("took {signed} test call (frontdoor-event: test)");
            return vec![good("webhook", what)];
        }
        Verdict::Failed { reason, .. } | Verdict::Refused(reason) => reason,
        _ => "no answer".into(),
    };
    let remedy = match reason.as_str() {
        "status 401" | "status 403" => {
            "does the automation have the same FRONTDOOR_WEBHOOK_SECRET, or FRONTDOOR_WEBHOOK_HEADER?"
        }
        _ => "look at the automation: is it on, and is FRONTDOOR_WEBHOOK_URL its present address?",
    };
    let what = match reason.starts_with("status") {
        true => format!("answers {signed} test call with {reason}"),
        false => reason,
    };
    vec![bad("webhook", what).fix(remedy)]
}
