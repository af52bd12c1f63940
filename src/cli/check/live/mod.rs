//! `frontdoor check --live`: is everything so that a lead reaches the owner? Looks
//! from outside as a visitor does, sends a test mail and a test call, and leaves
//! nothing behind.
//!
//! Each probe is a file and has a time limit; what does not depend on each other
//! is asked at once. A probe that cannot know says so.

mod clock;
mod content;
mod database;
mod dns;
mod files;
mod lead;
mod mail;
mod names;
mod site;
mod systemd;
mod verdict;
mod web;
mod webhook;

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use url::Url;

use self::names::Names;
use self::site::PublicSite;
use self::verdict::{State, Verdict, bad, good, within};
use crate::cli::output::{count, print, print_json};
use crate::cli::{Failure, block_on, facts, owner};
use crate::config::{Given, Settings};
use crate::content::SITE;
use crate::store::{OpenMode, Store};

const MAIL_PATIENCE: Duration = Duration::from_secs(45);
const CALL_PATIENCE: Duration = Duration::from_secs(15);
const NAMES_PATIENCE: Duration = Duration::from_secs(20);
const PAGES_PATIENCE: Duration = Duration::from_secs(30);
const STORE_PATIENCE: Duration = Duration::from_secs(60);

#[derive(Args, Debug)]
pub struct LiveArgs {
    /// Look at the running site too: its public address, DNS, TLS, a test mail, a
    /// test call to the webhook, a test lead that is removed again
    #[arg(long)]
    pub live: bool,

    /// The public address of the site [default: `url` of content/site.toml]
    #[arg(long, value_name = "URL", requires = "live", value_parser = web_address)]
    url: Option<Url>,

    /// Ask this name server instead of the machine's
    #[arg(long, value_name = "ADDRESS:PORT", requires = "live")]
    resolver: Option<SocketAddr>,

    /// Name of the key that your mail provider signs with (DKIM)
    #[arg(long, value_name = "NAME", requires = "live")]
    dkim_selector: Option<String>,
}

fn web_address(text: &str) -> Result<Url, String> {
    let url = Url::parse(text).ok();
    let url = url.filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let mut url = url.ok_or("must be an address that starts with https:// or http://")?;
    url.set_path("/");
    url.set_query(None);
    url.set_fragment(None);
    Ok(url)
}

pub fn run(
    args: &LiveArgs,
    as_json: bool,
    settings: &Settings,
    given: &Given,
) -> Result<(), Failure> {
    // Before we become somebody else.
    let files = files::look(settings);
    owner::become_owner(&settings.database)?;
    block_on(facts::shown(settings))?;
    let verdicts = block_on(look(args, settings, given))??;
    let verdicts = [vec![source(given)], files, verdicts].concat();
    match as_json {
        true => print_json(&verdicts)?,
        false => print(&verdicts.iter().map(Verdict::line).collect::<String>())?,
    }
    let bad = verdicts
        .iter()
        .filter(|verdict| verdict.state == State::Bad)
        .count();
    match bad {
        0 => Ok(()),
        bad => Err(Failure::Failed(format!(
            "{} to be mended: the lines with ✗",
            count(bad as u64, "thing is", "things are")
        ))),
    }
}

fn source(given: &Given) -> Verdict {
    good(
        "settings",
        match &given.file {
            Some(file) => format!("are right; they come from {}", file.display()),
            None => "are right; there is no settings file".to_owned(),
        },
    )
}

async fn look(
    args: &LiveArgs,
    settings: &Settings,
    given: &Given,
) -> Result<Vec<Verdict>, Failure> {
    let url = match &args.url {
        Some(url) => url.clone(),
        None => web_address(&SITE.url)
            .map_err(|problem| Failure::Usage(format!("url in content/site.toml {problem}")))?,
    };
    let names = Names::new(args.resolver);
    let (mail, webhook) = (settings.mail.as_ref(), settings.webhook.as_ref());
    let selector = args.dkim_selector.as_deref();
    let outside = async {
        let site = PublicSite::find(url, &names)
            .await
            .context("cannot call out")?;
        let (other, web, content, stored) = tokio::join!(
            within("DNS", NAMES_PATIENCE, dns::other_name(&names, &site)),
            within("site", PAGES_PATIENCE, web::look(&site)),
            within(
                "content",
                PAGES_PATIENCE,
                content::look(&site, &settings.retention)
            ),
            stored(settings, &site),
        );
        let dns = dns::addresses(&site);
        Ok::<_, Failure>((stored, [dns, other, web].concat(), content))
    };
    let (systemd, whole, outside, mail, webhook, records) = tokio::join!(
        systemd::look(given.file.as_deref()),
        within("database", STORE_PATIENCE, database::whole(settings)),
        outside,
        within("mail", MAIL_PATIENCE, mail::look(mail)),
        within("webhook", CALL_PATIENCE, webhook::look(webhook)),
        within(
            "DNS",
            NAMES_PATIENCE,
            dns::mail_records(&names, mail, selector)
        ),
    );
    let (stored, web, content) = outside?;
    let backups = vec![database::backups(settings)];
    Ok([
        systemd, whole, backups, stored, web, records, mail, webhook, content,
    ]
    .concat())
}

/// What needs the database open.
async fn stored(settings: &Settings, site: &PublicSite) -> Vec<Verdict> {
    let store = match Store::open(&settings.database, OpenMode::Existing).await {
        Ok(store) => store,
        Err(error) => {
            let remedy = "until then every form fails";
            return vec![bad("write", error.to_string(), remedy)];
        }
    };
    let mut verdicts = within("database", STORE_PATIENCE, database::look(&store, settings)).await;
    verdicts.extend(lead::look(&store, site, &settings.network.trusted_proxies).await);
    if let Err(error) = store.close().await {
        verdicts.push(bad("database", error.to_string(), ""));
    }
    verdicts
}
