//! `frontdoor subscribers import`: imports addresses with the proof of their consent. All lines
//! of the file are checked before anything is stored.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use jiff::Timestamp;

use crate::cli::bail_usage;
use crate::cli::csv::{self, Record, in_parts, past_time, report};
use crate::cli::output::{count, file_name, print, printable_line};
use crate::domain::{Email, email_key, one_line, subscriber_email};
use crate::store::{Import, Imported, Store, Welcome};

const MAX_SOURCE: usize = 200;
/// Subscribers per transaction.
const AT_ONCE: usize = 200;
/// The time between two confirmation mails: mail providers distrust a sender whose volume
/// suddenly rises.
const PACE: Duration = Duration::from_millis(500);

#[derive(Args, Debug)]
pub struct ImportSubscribers {
    /// The subscribers, with the column email, and optionally confirmed_at and source
    #[arg(value_name = "FILE.csv")]
    file: PathBuf,

    /// What the subscribers agreed to, and how; kept as proof, with the day and the name of the
    /// file
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    consent: String,

    /// Send no confirmation mails: the subscribers have confirmed elsewhere
    #[arg(long)]
    confirmed_elsewhere: bool,

    /// Show what would happen, and change nothing
    #[arg(long)]
    dry_run: bool,
}

/// What happens to an address, in words.
const RESULTS: [(Imported, &str); 6] = [
    (
        Imported::Invited,
        "to be asked by mail to confirm, two a second, by the server with FRONTDOOR_SMTP_URL",
    ),
    (Imported::Confirmed, "confirmed elsewhere"),
    (Imported::Known, "subscribed before; left as they are"),
    (Imported::Waiting, "not confirmed yet; not asked again"),
    (Imported::Withdrawn, "unsubscribed; they stay so"),
    (Imported::Suspended, "suspended; they stay so"),
];

struct Person {
    email: Email,
    confirmed_at: Option<Timestamp>,
    source: Option<String>,
}

pub async fn run(args: &ImportSubscribers, store: &Store) -> Result<()> {
    let now = Timestamp::now();
    let columns = ["email", "confirmed_at", "source"];
    let file = csv::Import::read(&args.file, &columns[..1], |name| columns.contains(&name))?;
    let (mut people, wrong) = file.read_each(|record| person(&record, now));
    if wrong > 0 {
        let lines = count(wrong, "line is", "lines are");
        bail_usage!("{lines} wrong; nothing was imported");
    }
    let lines = people.len();
    let mut seen = HashSet::new();
    people.retain(|person| seen.insert(email_key(person.email.as_str())));
    let repeated = (lines - people.len()) as u64;
    let mut results = Vec::new();
    in_parts(&people, AT_ONCE, async |some| {
        let invited = results.iter().filter(|each| **each == Imported::Invited);
        let begin = invited.count();
        if args.dry_run {
            for person in some {
                let known = store.subscriber(person.email.as_str()).await?;
                results.push(Imported::decide(
                    known.as_ref(),
                    &welcome(args, person, begin),
                ));
            }
            return Ok(());
        }
        let row = |(index, person): (usize, &Person)| Import {
            email: person.email.clone(),
            consent: args.consent.clone(),
            file_name: file_name(&args.file),
            source: person.source.clone(),
            welcome: welcome(args, person, begin + index),
        };
        let new = some.iter().enumerate().map(row).collect();
        results.extend(store.import_subscribers(new, store.now()).await?);
        Ok(())
    })
    .await?;
    summary(args, &results, repeated)
}

/// Prints how many addresses had each result, and how many lines were repeated.
fn summary(args: &ImportSubscribers, results: &[Imported], repeated: u64) -> Result<()> {
    let number = |kind| results.iter().filter(|each| **each == kind).count() as u64;
    let added = number(Imported::Invited) + number(Imported::Confirmed);
    let added = count(added, "subscriber", "subscribers");
    let first = if args.dry_run {
        format!("Would import {added}.")
    } else {
        format!("Imported {added}.")
    };
    let mut numbers = RESULTS.map(|(kind, words)| (number(kind), words)).to_vec();
    numbers.push((repeated, "repeated: another line has the same address"));
    print(&report(&first, &numbers))
}

fn person(record: &Record<'_>, now: Timestamp) -> Result<Person, String> {
    let written = record.cell("email");
    let email = subscriber_email(written)
        .map_err(|_| format!("“{}” isn't an e-mail address", printable_line(written)))?;
    let confirmed_at = match record.cell("confirmed_at") {
        "" => None,
        time => Some(past_time(time, now).ok_or_else(|| {
            let time = printable_line(time);
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

fn welcome(args: &ImportSubscribers, person: &Person, index: usize) -> Welcome {
    if args.confirmed_elsewhere {
        Welcome::ConfirmedElsewhere(person.confirmed_at)
    } else {
        Welcome::ByMail(PACE * u32::try_from(index).unwrap_or(u32::MAX))
    }
}
