//! `frontdoor check`: whether a server would start, and what needs the owner's attention. With
//! `--live` also whether a lead sent to the public address reaches the owner. A check changes
//! nothing and leaves nothing behind.

use anyhow::{Result, bail};
use clap::Args;

use super::output::{print, print_json};
use super::{block_on, owner, releases};
use crate::check::{self, Finding, LiveArgs, State, bad, good};
use crate::config::{ServeArgs, Settings};
use crate::http::Release;
use crate::store::{OpenMode, Store};
use crate::upkeep::Backups;

pub const AFTER_HELP: &str = "\
Each line begins with ✓ (good), ! (worth a look, or can't be known from here) or
✗ (needs fixing) and says what to do; in JSON, `state` is good, unsure or bad. With --live it sends a mail to
FRONTDOOR_NOTIFY_EMAIL, a call with `frontdoor-event: test` to the webhook, and a
lead to the site, which is never passed on and is removed again. Exit code 1
means that a line begins with ✗.";

#[derive(Args, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    live: LiveArgs,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    settings: ServeArgs,
}

pub fn run(args: &CheckArgs, built_in: &'static [u8]) -> Result<()> {
    let settings = Settings::load(&args.settings)?;
    owner::become_owner(&settings.database)?;
    let findings = block_on(findings(&args.live, &settings, built_in))?;
    if args.json {
        print_json(&findings)?
    } else {
        print(&findings.iter().map(line).collect::<String>())?
    }
    let mut bad = findings.iter().filter(|each| each.state == State::Bad);
    let Some(first) = bad.next().map(text) else {
        return Ok(());
    };
    match bad.count() {
        0 => bail!(first),
        others => bail!("{first}; and {others} more"),
    }
}

async fn findings(
    live: &LiveArgs,
    settings: &Settings,
    built_in: &'static [u8],
) -> Result<Vec<Finding>> {
    let checked = Store::check(&settings.database).await;
    let database = check::database(&settings.database, checked);
    let is_open = database.state == State::Good;
    let mut findings = vec![database];
    findings.extend(site_of_settings(settings));
    let store = if is_open {
        Some(Store::open(&settings.database, OpenMode::Existing).await?)
    } else {
        None
    };
    if let Some(store) = &store {
        if settings.site.release.is_none() {
            releases::use_published_facts(store).await?;
        }
        findings.extend(check::published_site(store, settings, built_in).await?);
        findings.extend(check::attention(store, settings).await?);
        findings.extend(check::rows(store).await?);
    }
    let backups = Backups::new(settings.backup.as_ref(), &settings.database);
    findings.splice(..0, check::settings(settings, backups.as_ref()));
    if live.live {
        let opened = match &store {
            Some(store) => Ok(store.clone()),
            None => Store::open(&settings.database, OpenMode::Existing).await,
        };
        findings.extend(check::live(live, settings, opened.as_ref()).await?);
    }
    if let Some(store) = store {
        store.close().await?;
    }
    Ok(findings)
}

/// Checks the release that the settings name. A server would not start without it.
fn site_of_settings(settings: &Settings) -> Option<Finding> {
    let path = settings.site.release.as_ref()?;
    let opened = Release::open(path).and_then(|release| {
        release.facts.make_current();
        check::can_be_served(&release, settings)
    });
    Some(match opened {
        Ok(()) => good!("site", "{}", path.display()),
        Err(error) => bad!("site", "{error:#}"),
    })
}

fn line(finding: &Finding) -> String {
    let sign = match finding.state {
        State::Good => '✓',
        State::Unsure => '!',
        State::Bad => '✗',
    };
    format!("{sign} {}\n", text(finding))
}

fn text(finding: &Finding) -> String {
    let text = format!("{}: {}", finding.check, finding.what);
    match finding.remedy.as_str() {
        "" => text,
        remedy => format!("{text} → {remedy}"),
    }
}
