//! `frontdoor subscribers import`: addresses from elsewhere, with the proof of
//! their consent. The file is checked line by line before anything is stored.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use jiff::Timestamp;
use serde::Serialize;

use crate::cli::Failure;
use crate::cli::csv::{Record, past_time, read_file};
use crate::cli::output::{count, harmless_line, print, print_json, tell};
use crate::domain::{Email, fold_address, one_line, subscriber_email};
use crate::store::{Import, Imported, Store, Welcome};

const LONGEST_CONSENT: usize = 2000;
const LONGEST_SOURCE: usize = 200;
/// More would not help the owner to fix the file.
const MOST_COMPLAINTS: usize = 10;
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
    let now = Timestamp::now();
    let file = read_file(&args.file, |names, records| parse(&names, &records, now))?;
    if !file.unused.is_empty() {
        tell!("These columns are not used: {}", file.unused.join(", "));
    }
    let mut summary = Summary {
        repeated_lines: file.repeated,
        ..Summary::default()
    };
    match args.dry_run {
        true => foresee(args, &file, store, &mut summary).await?,
        false => import(args, &file, store, &mut summary).await?,
    }
    if args.json {
        return Ok(print_json(&summary)?);
    }
    let begin = match args.dry_run {
        true => "Would import",
        false => "Imported",
    };
    Ok(print(&told(begin, &summary))?)
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
}

async fn foresee(
    args: &ImportSubscribers,
    file: &ImportFile,
    store: &Store,
    summary: &mut Summary,
) -> Result<(), Failure> {
    for person in &file.people {
        let known = store.subscriber(person.email.as_str()).await?;
        summary.add(Imported::of(known.as_ref(), &welcome(args, person, 0)));
    }
    Ok(())
}

async fn import(
    args: &ImportSubscribers,
    file: &ImportFile,
    store: &Store,
    summary: &mut Summary,
) -> Result<(), Failure> {
    for (number, people) in file.people.chunks(AT_ONCE).enumerate() {
        let begin = usize::try_from(summary.invited).unwrap_or_default();
        let row = |(place, person): (usize, &Person)| Import {
            email: person.email.clone(),
            consent: args.consent.clone(),
            file_name: file_name(&args.file),
            source: person.source.clone(),
            welcome: welcome(args, person, begin + place),
        };
        let new = people.iter().enumerate().map(row).collect();
        let stored = store.import(new, store.now()).await;
        let stored = stored.map_err(|error| {
            let (done, all) = (number * AT_ONCE, file.people.len() as u64);
            Failure::Failed(format!(
                "{error}; after {done} of {}: run the same command again to go on",
                count(all, "address", "addresses")
            ))
        })?;
        stored.into_iter().for_each(|result| summary.add(result));
    }
    Ok(())
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
    let asked =
        "to be asked by mail to confirm, two a second, by the server with FRONTDOOR_SMTP_URL";
    for (number, words) in [
        (summary.invited, asked),
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

struct Person {
    email: Email,
    confirmed_at: Option<Timestamp>,
    source: Option<String>,
}

struct ImportFile {
    people: Vec<Person>,
    /// Lines with an address that another line has.
    repeated: u64,
    /// Columns that mean nothing here.
    unused: Vec<String>,
}

/// The places of the columns that mean something.
struct Columns {
    email: usize,
    confirmed_at: Option<usize>,
    source: Option<usize>,
}

fn parse(header: &[String], records: &[Record], now: Timestamp) -> Result<ImportFile, String> {
    let names: Vec<String> = header.iter().map(|name| name.to_lowercase()).collect();
    let place = |wanted: &[&str]| {
        let mut names = names.iter();
        names.position(|name| wanted.contains(&name.as_str()))
    };
    let email = place(&["email", "e-mail", "email address", "e-mail address"]);
    let columns = Columns {
        email: email.ok_or("line 1: must name the columns, and one of them email")?,
        // Also as our own export names it.
        confirmed_at: place(&["confirmed_at", "confirmed_at (utc)"]),
        source: place(&["source"]),
    };
    let used = [Some(columns.email), columns.confirmed_at, columns.source];
    let others = header.iter().enumerate();
    let others = others.filter(|(place, _)| !used.contains(&Some(*place)));
    let mut file = ImportFile {
        people: Vec::new(),
        repeated: 0,
        unused: others.map(|(_, name)| harmless_line(name)).collect(),
    };
    let (mut seen, mut wrong) = (HashSet::new(), Vec::new());
    for (line, cells) in records {
        match person(cells, &columns, now) {
            Ok(person) if seen.insert(fold_address(person.email.as_str())) => {
                file.people.push(person);
            }
            Ok(_) => file.repeated += 1,
            Err(problem) => wrong.push(format!("line {line}: {problem}")),
        }
    }
    let more = wrong.len().saturating_sub(MOST_COMPLAINTS);
    wrong.truncate(MOST_COMPLAINTS);
    if more > 0 {
        wrong.push(format!("and {more} more"));
    }
    match wrong.is_empty() {
        true => Ok(file),
        false => Err(wrong.join("; ")),
    }
}

fn person(cells: &[String], columns: &Columns, now: Timestamp) -> Result<Person, String> {
    let cell = |place: Option<usize>| {
        let cell = place.and_then(|place| cells.get(place));
        cell.map(String::as_str).filter(|cell| !cell.is_empty())
    };
    let written = cell(Some(columns.email)).ok_or("has no address")?;
    let email = subscriber_email(written)
        .map_err(|_| format!("{} is no address", harmless_line(written)))?;
    let time = |text| {
        past_time(text, now).ok_or_else(|| {
            let text = harmless_line(text);
            format!("confirmed_at {text} is no time that has been, like 2026-01-31 or 2026-01-31T09:00:00Z")
        })
    };
    let source = cell(columns.source).map(one_line);
    if source
        .as_ref()
        .is_some_and(|source| source.chars().count() > LONGEST_SOURCE)
    {
        return Err(format!("source is longer than {LONGEST_SOURCE} characters"));
    }
    Ok(Person {
        email,
        confirmed_at: cell(columns.confirmed_at).map(time).transpose()?,
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<ImportFile, String> {
        let now = "2026-11-20T09:00:00Z".parse().unwrap();
        let cells = |line: &&str| line.split(',').map(str::to_owned).collect::<Vec<_>>();
        let mut records = (1..).zip(lines.iter().map(cells));
        let (_, header) = records.next().unwrap();
        parse(&header, &records.collect::<Vec<_>>(), now)
    }

    #[test]
    fn columns_stand_in_any_order_and_what_we_exported_ourselves_is_understood() {
        let file = read(&[
            "Source,Name,E-Mail,confirmed_at (UTC)",
            "fair,Ada,Ada@Example.org,2026-01-31 09:05:07",
            ",,ada@example.org,",
            ",,b@example.org,2026-01-31",
        ])
        .unwrap();
        assert_eq!((file.people.len(), file.repeated), (2, 1));
        assert_eq!(file.unused, ["Name"]);
        let ada = &file.people[0];
        assert_eq!(ada.source.as_deref(), Some("fair"));
        let confirmed = "2026-01-31T09:05:07Z".parse().unwrap();
        assert_eq!(ada.confirmed_at, Some(confirmed));
    }

    #[test]
    fn every_line_that_is_wrong_is_named() {
        let long = format!("a@b.org,,{}", "x".repeat(201));
        let lines = [
            "email,confirmed_at,source",
            "a@b.org",
            "nobody",
            "c@d.org,2030-01-01",
            ",2026-01-01",
            &long,
        ];
        let said = read(&lines).err().unwrap();
        for complaint in [
            "line 3: nobody is no address",
            "line 4: confirmed_at 2030-01-01",
            "line 5: has no address",
            "line 6: source is longer",
        ] {
            assert!(said.contains(complaint), "{said}");
        }
        let many = [&["email"][..], &["x"; 13]].concat();
        let said = read(&many).err().unwrap();
        assert!(said.ends_with("line 11: x is no address; and 3 more"));
        let said = read(&["a@b.org"]).err().unwrap();
        assert!(said.contains("line 1: must name the columns"));
    }
}
