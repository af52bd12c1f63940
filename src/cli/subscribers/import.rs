//! `frontdoor subscribers import`: addresses from elsewhere, with the proof of
//! their consent. The file is checked line by line before anything is stored.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Result, bail};
use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::Usage;
use crate::cli::csv::{self, Record, in_parts, past_time, report};
use crate::cli::output::{count, harmless_line, print, print_json};
use crate::domain::{Email, fold_address, one_line, subscriber_email};
use crate::store::{Import, Imported, Store, Welcome};

const MAX_CONSENT: usize = 2000;
const MAX_SOURCE: usize = 200;
/// Together in one transaction.
const AT_ONCE: usize = 200;
/// From one confirmation mail to the next: a provider that knows our mails by
/// the dozen doesn't like them by the thousand.
const PACE: Duration = Duration::from_millis(500);

#[derive(Args, Debug)]
pub struct ImportSubscribers {
    /// Columns: email, and if you have them confirmed_at and source
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,

    /// What they agreed to, and how: kept as proof, with the day and the name of the
    /// file
    #[arg(long, value_name = "TEXT", value_parser = consent)]
    consent: String,

    /// They've confirmed already: send no confirmation mails
    #[arg(long)]
    confirmed_elsewhere: bool,

    /// Only say what would happen
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
        1..=MAX_CONSENT => Ok(text.to_owned()),
        _ => Err(format!("must not be longer than {MAX_CONSENT} characters")),
    }
}

/// How many addresses there were of each; the repeated lines are not among the others.
#[derive(Serialize, Default)]
struct Summary {
    invited: u64,
    confirmed: u64,
    subscribed_before: u64,
    not_confirmed_yet: u64,
    unsubscribed: u64,
    suspended: u64,
    repeated_lines: u64,
}

struct Person {
    email: Email,
    confirmed_at: Option<Timestamp>,
    source: Option<String>,
}

pub async fn run(args: &ImportSubscribers, store: &Store) -> Result<()> {
    let now = Timestamp::now();
    let columns = ["email", "confirmed_at", "source"];
    let file = csv::Import::read(&args.file, &columns[..1], |name| columns.contains(&name))?;
    let (mut people, wrong) = file.each(|record| person(&record, now));
    if wrong > 0 {
        let lines = count(wrong, "line is", "lines are");
        bail!(Usage(format!("{lines} wrong; nothing was imported")));
    }
    let lines = people.len();
    let mut seen = HashSet::new();
    people.retain(|person| seen.insert(fold_address(person.email.as_str())));
    let mut summary = Summary {
        repeated_lines: (lines - people.len()) as u64,
        ..Summary::default()
    };
    match args.dry_run {
        true => foresee(args, &people, store, &mut summary).await?,
        false => import(args, &people, store, &mut summary).await?,
    }
    match args.json {
        true => print_json(&summary),
        false => print(&summary.words(args.dry_run)),
    }
}

fn person(record: &Record<'_>, now: Timestamp) -> Result<Person, String> {
    let written = record.cell("email");
    let email = subscriber_email(written)
        .map_err(|_| format!("“{}” isn't an e-mail address", harmless_line(written)))?;
    let confirmed_at = match record.cell("confirmed_at") {
        "" => None,
        time => Some(past_time(time, now).ok_or_else(|| {
            let time = harmless_line(time);
            format!("confirmed_at: {time} must be a time in the past, like 2026-01-31")
        })?),
    };
    let source = one_line(record.cell("source"));
    if source.chars().count() > MAX_SOURCE {
        return Err(format!("source is longer than {MAX_SOURCE} characters"));
    }
    Ok(Person {
        email,
        confirmed_at,
        source: (!source.is_empty()).then_some(source),
    })
}

async fn foresee(
    args: &ImportSubscribers,
    people: &[Person],
    store: &Store,
    summary: &mut Summary,
) -> Result<()> {
    for person in people {
        let known = store.subscriber(person.email.as_str()).await?;
        summary.add(Imported::of(known.as_ref(), &welcome(args, person, 0)));
    }
    Ok(())
}

async fn import(
    args: &ImportSubscribers,
    people: &[Person],
    store: &Store,
    summary: &mut Summary,
) -> Result<()> {
    in_parts(people, AT_ONCE, async |some| {
        let begin = usize::try_from(summary.invited).unwrap_or_default();
        let row = |(place, person): (usize, &Person)| Import {
            email: person.email.clone(),
            consent: args.consent.clone(),
            file_name: file_name(&args.file),
            source: person.source.clone(),
            welcome: welcome(args, person, begin + place),
        };
        let new = some.iter().enumerate().map(row).collect();
        let stored = store.import(new, store.now()).await?;
        stored.into_iter().for_each(|result| summary.add(result));
        Ok(())
    })
    .await
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

impl Summary {
    fn add(&mut self, result: Imported) {
        *match result {
            Imported::Invited => &mut self.invited,
            Imported::Confirmed => &mut self.confirmed,
            Imported::Known => &mut self.subscribed_before,
            Imported::Waiting => &mut self.not_confirmed_yet,
            Imported::Withdrawn => &mut self.unsubscribed,
            Imported::Suspended => &mut self.suspended,
        } += 1;
    }

    fn words(&self, is_dry_run: bool) -> String {
        let added = count(self.invited + self.confirmed, "subscriber", "subscribers");
        let first = match is_dry_run {
            true => format!("Would import {added}."),
            false => format!("Imported {added}."),
        };
        let asked =
            "to be asked by mail to confirm, two a second, by the server with FRONTDOOR_SMTP_URL";
        let repeated = "lines with an address that another line has";
        let numbers = [
            (self.invited, asked),
            (self.confirmed, "confirmed elsewhere"),
            (
                self.subscribed_before,
                "subscribed before; left as they are",
            ),
            (self.not_confirmed_yet, "not confirmed yet; not asked again"),
            (self.unsubscribed, "unsubscribed; they stay so"),
            (self.suspended, "suspended; they stay so"),
            (self.repeated_lines, repeated),
        ];
        report(&first, &numbers)
    }
}
