//! `frontdoor subscribers import`: addresses from elsewhere, with the proof of
//! their consent.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use super::import_file::{self, ImportFile, Person};
use crate::cli::Failure;
use crate::cli::output::{count, print, print_json, tell};
use crate::domain::one_line;
use crate::store::{Import, Imported, Store, Welcome};

const LONGEST_CONSENT: usize = 2000;
/// Together in one transaction.
const AT_ONCE: usize = 200;
/// From one confirmation mail to the next: a provider that knows our mails by
/// the dozen does not like them by the thousand.
const PACE: Duration = Duration::from_millis(500);

#[derive(Args, Debug)]
pub struct ImportSubscribers {
    /// Columns: email, and if you have them confirmed_at and source
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,

    /// What they agreed to, and how: kept as the proof, with the day and the
    /// name of the file
    #[arg(long, value_name = "TEXT", value_parser = consent)]
    consent: String,

    /// They have confirmed already: send no confirmation mails
    #[arg(long)]
    confirmed_elsewhere: bool,

    /// Change nothing; say what would happen
    #[arg(long)]
    dry_run: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn consent(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.chars().count() {
        0 => Err("must say what they agreed to".into()),
        1..=LONGEST_CONSENT => Ok(text.to_owned()),
        _ => Err(format!(
            "must not be longer than {LONGEST_CONSENT} characters"
        )),
    }
}

pub async fn run(args: &ImportSubscribers, store: &Store) -> Result<(), Failure> {
    let file = import_file::read(&args.file, Timestamp::now())?;
    if !file.ignored.is_empty() {
        tell!("These columns are not used: {}", file.ignored.join(", "));
    }
    let fates = match args.dry_run {
        true => foresee(args, &file, store).await?,
        false => import(args, &file, store).await?,
    };
    let summary = Summary::of(&fates, file.repeated as u64);
    if args.json {
        return Ok(print_json(&summary)?);
    }
    let begin = if args.dry_run {
        "Would import"
    } else {
        "Imported"
    };
    Ok(print(&told(begin, &summary))?)
}

type Fates = HashMap<Imported, u64>;

/// How many there were of each; the repeated lines are not among the others.
#[derive(Serialize)]
struct Summary {
    invited: u64,
    confirmed: u64,
    subscribed_before: u64,
    not_confirmed_yet: u64,
    unsubscribed: u64,
    suspended: u64,
    repeated_lines: u64,
}

impl Summary {
    fn of(fates: &Fates, repeated_lines: u64) -> Self {
        let number = |fate| fates.get(&fate).copied().unwrap_or_default();
        Self {
            invited: number(Imported::Invited),
            confirmed: number(Imported::Confirmed),
            subscribed_before: number(Imported::Known),
            not_confirmed_yet: number(Imported::Waiting),
            unsubscribed: number(Imported::Withdrawn),
            suspended: number(Imported::Suspended),
            repeated_lines,
        }
    }
}

async fn foresee(
    args: &ImportSubscribers,
    file: &ImportFile,
    store: &Store,
) -> Result<Fates, Failure> {
    let mut fates = Fates::new();
    for person in &file.people {
        let known = store.subscriber(person.email.as_str()).await?;
        let fate = Imported::would_be(known.as_ref(), &welcome(args, person, 0));
        *fates.entry(fate).or_default() += 1;
    }
    Ok(fates)
}

async fn import(
    args: &ImportSubscribers,
    file: &ImportFile,
    store: &Store,
) -> Result<Fates, Failure> {
    let mut fates = Fates::new();
    for (number, people) in file.people.chunks(AT_ONCE).enumerate() {
        let invited = fates.get(&Imported::Invited).copied().unwrap_or_default();
        let begin = usize::try_from(invited).unwrap_or_default();
        let new = people.iter().enumerate();
        let new = new.map(|(place, person)| row(args, person, begin + place));
        let stored = store.import(new.collect(), store.now()).await;
        let stored = stored.map_err(|error| {
            let done = number * AT_ONCE;
            Failure::Failed(format!(
                "{error}; after {done} of {}: run the same command again to go on",
                count(file.people.len() as u64, "address", "addresses")
            ))
        })?;
        for fate in stored {
            *fates.entry(fate).or_default() += 1;
        }
    }
    Ok(fates)
}

fn row(args: &ImportSubscribers, person: &Person, place: usize) -> Import {
    Import {
        email: person.email.clone(),
        consent: args.consent.clone(),
        file_name: file_name(&args.file),
        source: person.source.clone(),
        welcome: welcome(args, person, place),
    }
}

fn welcome(args: &ImportSubscribers, person: &Person, place: usize) -> Welcome {
    match args.confirmed_elsewhere {
        true => Welcome::ConfirmedElsewhere(person.confirmed_at),
        false => Welcome::ByMail(PACE * u32::try_from(place).unwrap_or(u32::MAX)),
    }
}

fn file_name(file: &Path) -> String {
    let name = file.file_name().unwrap_or(file.as_os_str());
    one_line(&name.to_string_lossy())
}

fn told(begin: &str, summary: &Summary) -> String {
    let added = summary.invited + summary.confirmed;
    let mut lines = format!("{begin} {}.\n", count(added, "subscriber", "subscribers"));
    for (number, words) in [
        (
            summary.invited,
            "to be asked by mail to confirm, two a second, by the server with FRONTDOOR_SMTP_URL",
        ),
        (summary.confirmed, "confirmed elsewhere"),
        (
            summary.subscribed_before,
            "subscribed before; left as they are",
        ),
        (
            summary.not_confirmed_yet,
            "not confirmed yet; not asked again",
        ),
        (summary.unsubscribed, "unsubscribed; they stay so"),
        (summary.suspended, "suspended; they stay so"),
        (
            summary.repeated_lines,
            "lines with an address that another line has",
        ),
    ] {
        if number > 0 {
            lines += &format!("{number:>7} {words}\n");
        }
    }
    lines
}
