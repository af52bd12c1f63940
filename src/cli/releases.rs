//! `frontdoor publish` and `frontdoor releases`: which release of the site is shown.

use std::path::PathBuf;

use anyhow::{Context as _, Result, anyhow, bail};
use bytes::Bytes;
use clap::{Args, Subcommand};
use serde_json::json;

use super::UsageError;
use super::lists::{Columns, table};
use super::output::{count, eprint_line, minute, print, print_json, print_line};
use crate::config::{SiteSettings, promised};
use crate::content::{Retention, Site, SiteFacts, retention};
use crate::http::{self, Release, ReleaseRow};
use crate::store::{self, BUILT_IN, NewRelease, OldRecords, Store};

/// The name of the release inside the program.
const BUILT_IN_NAME: &str = "built-in";

#[derive(Args, Debug)]
pub struct PublishArgs {
    /// The release: its file, or the folder of the web build
    #[arg(value_name = "FILE|FOLDER")]
    release: PathBuf,
}

#[derive(Subcommand, Debug)]
pub enum ReleasesCommand {
    /// List the releases that can be shown, the newest first
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show an earlier release again: the one before, or the one with this id
    Rollback {
        /// The release's id; `built-in` is the release inside the program
        #[arg(value_name = "ID")]
        id: Option<String>,
    },
}

/// The release that the site shows.
pub async fn shown_release(
    site: &SiteSettings,
    built_in: &'static [u8],
    store: &Store,
) -> Result<Release> {
    if let Some(path) = &site.release {
        return Release::open(path);
    }
    match http::published_release(store).await? {
        Some((shown, read)) => read.with_context(|| format!("release {} can't be read", shown.id)),
        None => Release::built_in(built_in),
    }
}

/// Uses the facts of the release that is published in this database (name, addresses, texts, time
/// zone) instead of those that the program was compiled with. Facts that can't be read are no error
/// here: most commands need only the time zone.
pub async fn use_published_facts(store: &Store) -> store::Result<()> {
    let facts = store.release_facts().await?;
    match facts.map(|json| serde_json::from_str::<SiteFacts>(&json)) {
        Some(Ok(facts)) => facts.make_current(),
        Some(Err(_)) => SiteFacts::record_unreadable(),
        None => {}
    }
    Ok(())
}

/// For a command that speaks in the name of the site: uses the facts of the release that the
/// settings name, or else those of the database, and fails if they can't be read.
pub fn require_facts(site: &SiteSettings) -> Result<()> {
    if let Some(path) = &site.release {
        Release::open(path)?.facts.make_current();
    }
    SiteFacts::unreadable().map_or(Ok(()), |reason| bail!(reason))
}

impl PublishArgs {
    pub fn read(&self) -> Result<Bytes> {
        http::read_release_file(&self.release)
    }
}

pub async fn publish(
    args: &PublishArgs,
    bytes: Bytes,
    built_in: &'static [u8],
    store: &Store,
) -> Result<()> {
    let path = args.release.display();
    let refused = |reason: String| anyhow!("{path} isn't published: {reason}");
    let release = Release::read(&bytes).map_err(|error| refused(format!("{error:#}")))?;
    let faults = http::release_faults(&release, &http::template_placeholders());
    if !faults.is_empty() {
        for fault in &faults {
            eprint_line!("{fault}");
        }
        let number = count(faults.len() as u64, "reason", "reasons");
        return Err(refused(format!("{number} above")));
    }
    let stored = store.releases().await?;
    let shown = stored.first();
    if let Some(same) = shown.filter(|shown| shown.checksum == release.checksum) {
        return print_line!(
            "Release {} is published already: nothing has changed.",
            same.id
        );
    }
    warn_of_shorter_periods(retention(), &release.facts.retention);
    warn_of_placeholders(&release.facts.site);
    let pages = release.pages() as u64;
    let before = http::published_release(store)
        .await?
        .and_then(|(_, read)| read.ok());
    let before = before.map_or_else(|| Release::built_in(built_in), Ok)?;
    let new = NewRelease {
        changes: release.changes_since(&before),
        who: std::env::var("SUDO_USER")
            .or_else(|_| std::env::var("USER"))
            .ok(),
        checksum: release.checksum,
        pages,
        facts: release.facts_json,
        content: bytes.into(),
        built_in: Release::built_in(built_in)?.checksum,
    };
    let id = store.publish_release(new, store.now()).await?;
    let (pages, location) = (count(pages, "page", "pages"), store.location());
    print_line!(
        "Release {id} is published in {location}: {pages}. Servers that show what is published \
        switch to it within a second."
    )
}

/// Names the records that will be removed earlier than before, so that the owner sees a mistake
/// before they are gone.
fn warn_of_shorter_periods(before: &Retention, after: &Retention) {
    for kind in OldRecords::ALL {
        let (before, after) = (promised(kind, before), promised(kind, after));
        let Some(after) = after.filter(|after| before.is_none_or(|before| *after < before)) else {
            continue;
        };
        let (what, days) = (kind.name(), after.as_hours() / 24);
        eprint_line!(
            "{what} are now kept for only {days} days; older ones are deleted within a day"
        );
    }
}

/// Names values that are still the sample's: nobody can own a name under `.example` or a
/// telephone number with 555-01.
fn warn_of_placeholders(site: &Site) {
    let values = [&site.url, &site.email, &site.booking_url].into_iter();
    for value in values.chain(&site.phone) {
        if value.contains(".example") || value.contains("555-01") {
            eprint_line!("`{value}` is a placeholder: write your own in content/site.toml");
        }
    }
}

pub async fn run(command: &ReleasesCommand, built_in: &'static [u8], store: &Store) -> Result<()> {
    match command {
        ReleasesCommand::List { json } => list(*json, built_in, store).await,
        ReleasesCommand::Rollback { id } => roll_back(id.as_deref(), store).await,
    }
}

const COLUMNS: Columns<ReleaseRow> = ("ID, STATE, PUBLISHED, PAGES, KB", |each| {
    vec![
        name(each.id),
        (if each.shown { "shown" } else { "" }).to_owned(),
        each.published_at.map_or(String::new(), minute),
        each.pages.to_string(),
        (each.bytes / 1000).to_string(),
    ]
});

async fn list(json: bool, built_in: &'static [u8], store: &Store) -> Result<()> {
    let releases = http::list_releases(store.releases().await?, built_in)?;
    if !json {
        return print(&table(&COLUMNS, &releases));
    }
    let row = |each: &ReleaseRow| {
        json!({
            "id": name(each.id), "shown": each.shown, "published_at": each.published_at,
            "pages": each.pages, "bytes": each.bytes, "checksum": each.checksum,
        })
    };
    print_json(&releases.iter().map(row).collect::<Vec<_>>())
}

async fn roll_back(id: Option<&str>, store: &Store) -> Result<()> {
    let stored = store.releases().await?;
    let shown = store::shown_release(&stored);
    let id = match id {
        None if shown == BUILT_IN => {
            bail!("the built-in release is shown: there is none before it")
        }
        // The release published before the one shown, or else the built-in one.
        None => {
            let earlier = stored.iter().map(|each| each.id).filter(|id| *id < shown);
            earlier.max().unwrap_or(BUILT_IN)
        }
        Some(BUILT_IN_NAME) => BUILT_IN,
        Some(id) => {
            let id = id.parse().ok().filter(|id| *id != BUILT_IN);
            let usage = "ID is a number of `frontdoor releases list`, or built-in";
            id.ok_or_else(|| UsageError(usage.into()))?
        }
    };
    let (name, location) = (name(id), store.location());
    if id == shown {
        return print_line!("Release {name} is shown already: nothing has changed.");
    }
    if !store.show_release(id, store.now()).await? {
        bail!("there is no release {name}; `frontdoor releases list` shows them");
    }
    print_line!(
        "Release {name} is shown again in {location}. Its servers switch to it within a second."
    )
}

fn name(id: i64) -> String {
    match id {
        BUILT_IN => BUILT_IN_NAME.to_owned(),
        id => id.to_string(),
    }
}
