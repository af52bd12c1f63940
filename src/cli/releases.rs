//! `frontdoor releases`: which releases of the site there are, and going back
//! to one.

use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde::Serialize;

use super::Failure;
use super::filter::{Listed, table_of};
use super::output::{minute, print, print_json};
use super::table::Column;
use crate::http::Release;
use crate::store::{BUILT_IN, Store, StoredRelease};

/// How the release that the program carries is called.
const BUILT_IN_NAME: &str = "built-in";
/// As much of a checksum as tells releases apart.
const SHORT: usize = 12;

#[derive(Subcommand, Debug)]
pub enum ReleasesCommand {
    /// List the releases that can be shown, the newest first
    List(ListReleases),
    /// Show an earlier release again: the one before, or this one
    Rollback(Rollback),
}

#[derive(Args, Debug)]
pub struct ListReleases {
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
}

#[derive(Args, Debug)]
pub struct Rollback {
    /// As the list names it; `built-in` is the one that the program carries
    #[arg(value_name = "ID")]
    id: Option<String>,
}

/// A release as the owner sees it.
#[derive(Serialize)]
struct Row {
    id: String,
    shown: bool,
    published_at: Option<Timestamp>,
    pages: u64,
    bytes: u64,
    checksum: String,
}

pub async fn run(
    command: &ReleasesCommand,
    carried: &'static [u8],
    store: &Store,
) -> Result<(), Failure> {
    match command {
        ReleasesCommand::List(args) => list(args, carried, store).await,
        ReleasesCommand::Rollback(args) => roll_back(args, store).await,
    }
}

async fn list(args: &ListReleases, carried: &'static [u8], store: &Store) -> Result<(), Failure> {
    let stored = store.releases().await?;
    let shown = shown(&stored);
    let mut published: Vec<_> = stored.iter().filter(|each| each.id != BUILT_IN).collect();
    published.sort_by_key(|each| std::cmp::Reverse(each.id));
    let mut rows: Vec<Row> = published.iter().map(|each| row(each, shown)).collect();
    let own = Release::carried(carried)?;
    rows.push(Row {
        id: BUILT_IN_NAME.into(),
        shown: shown == BUILT_IN,
        published_at: None,
        pages: own.pages() as u64,
        bytes: carried.len() as u64,
        checksum: own.checksum,
    });
    match args.json {
        true => print_json(&rows.iter().map(Listed::json).collect::<Vec<_>>())?,
        false => print(&table_of(&rows))?,
    }
    Ok(())
}

async fn roll_back(args: &Rollback, store: &Store) -> Result<(), Failure> {
    let stored = store.releases().await?;
    let shown = shown(&stored);
    let id = match args.id.as_deref() {
        None => before(&stored, shown)?,
        Some(BUILT_IN_NAME) => BUILT_IN,
        Some(id) => id
            .parse()
            .ok()
            .filter(|id| *id != BUILT_IN)
            .ok_or_else(|| {
                Failure::Usage("ID is a number of `frontdoor releases list`, or built-in".into())
            })?,
    };
    let name = name(id);
    if id == shown {
        return Ok(print(&format!(
            "Release {name} is shown already: nothing has changed.\n"
        ))?);
    }
    if !store.show_release(id, store.now()).await? {
        return Err(Failure::Failed(format!(
            "there is no release {name}: `frontdoor releases list` shows which there are"
        )));
    }
    let place = store.place();
    Ok(print(&format!(
        "Release {name} is shown again in {place}. Its servers change over within a second.\n"
    ))?)
}

/// The one that was published before it, in the end the program's own.
fn before(stored: &[StoredRelease], shown: i64) -> Result<i64, Failure> {
    if shown == BUILT_IN {
        let words = "the release that the program carries is shown: there is none before it";
        return Err(Failure::Failed(words.into()));
    }
    let earlier = stored.iter().map(|each| each.id).filter(|id| *id < shown);
    Ok(earlier.max().unwrap_or(BUILT_IN))
}

fn shown(stored: &[StoredRelease]) -> i64 {
    stored.first().map_or(BUILT_IN, |shown| shown.id)
}

fn name(id: i64) -> String {
    match id {
        BUILT_IN => BUILT_IN_NAME.to_owned(),
        id => id.to_string(),
    }
}

fn row(stored: &StoredRelease, shown: i64) -> Row {
    Row {
        id: name(stored.id),
        shown: stored.id == shown,
        published_at: Some(stored.published_at),
        pages: stored.pages,
        bytes: stored.bytes,
        checksum: stored.checksum.clone(),
    }
}

impl Listed for Row {
    const NAME: &'static str = "releases";
    const COLUMNS: &'static [Column<Self>] = &[
        Column::whole("ID", |each: &Self| each.id.clone()),
        Column::whole("STATE", |each: &Self| {
            String::from(if each.shown { "shown" } else { "" })
        }),
        Column::whole("PUBLISHED", |each: &Self| {
            each.published_at.map_or(String::new(), minute)
        }),
        Column::whole("PAGES", |each: &Self| each.pages.to_string()).dispensable(1),
        Column::whole("KB", |each: &Self| (each.bytes / 1000).to_string()).dispensable(2),
        Column::cut("CHECKSUM", SHORT, |each: &Self| {
            each.checksum.chars().take(SHORT).collect()
        })
        .dispensable(3),
    ];

    fn json(&self) -> impl Serialize {
        self
    }
}
