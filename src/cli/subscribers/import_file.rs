//! A file of addresses from elsewhere, checked line by line before anything is
//! stored.

use std::collections::HashSet;
use std::path::Path;

use jiff::Timestamp;

use crate::cli::Failure;
use crate::cli::csv_reader::{self, Record, past_time};
use crate::cli::table::harmless_line;
use crate::domain::{Email, fold_address, one_line, subscriber_email};

const LONGEST_SOURCE: usize = 200;
/// More would not help the owner to mend the file.
const MOST_COMPLAINTS: usize = 10;

pub struct Person {
    pub email: Email,
    pub confirmed_at: Option<Timestamp>,
    pub source: Option<String>,
}

#[derive(Default)]
pub struct ImportFile {
    pub people: Vec<Person>,
    /// Lines with an address that another line has.
    pub repeated: usize,
    /// Columns that mean nothing here.
    pub ignored: Vec<String>,
}

pub fn read(file: &Path, now: Timestamp) -> Result<ImportFile, Failure> {
    csv_reader::read_file(file, |text| parse(text, now))
}

/// The places of the columns that mean something.
struct Columns {
    email: usize,
    confirmed_at: Option<usize>,
    source: Option<usize>,
}

fn parse(text: &str, now: Timestamp) -> Result<ImportFile, String> {
    let (header, records) = csv_reader::table(text)?;
    let (columns, ignored) = columns(&header)?;
    let mut file = ImportFile {
        ignored,
        ..ImportFile::default()
    };
    let (mut seen, mut wrong) = (HashSet::new(), Vec::new());
    for record in &records {
        match person(record, &columns, now) {
            Ok(person) if seen.insert(fold_address(person.email.as_str())) => {
                file.people.push(person);
            }
            Ok(_) => file.repeated += 1,
            Err(problem) => wrong.push(format!("line {}: {problem}", record.0)),
        }
    }
    match wrong.is_empty() {
        true => Ok(file),
        false => Err(complaints(&wrong)),
    }
}

fn complaints(wrong: &[String]) -> String {
    let told = wrong[..wrong.len().min(MOST_COMPLAINTS)].join("; ");
    match wrong.len().saturating_sub(MOST_COMPLAINTS) {
        0 => told,
        more => format!("{told}; and {more} more"),
    }
}

fn columns(header: &[String]) -> Result<(Columns, Vec<String>), String> {
    let names: Vec<String> = header.iter().map(|name| name.to_lowercase()).collect();
    let place = |wanted: &[&str]| {
        names
            .iter()
            .position(|name| wanted.contains(&name.as_str()))
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
    let ignored = others.map(|(_, name)| harmless_line(name)).collect();
    Ok((columns, ignored))
}

fn person((_, cells): &Record, columns: &Columns, now: Timestamp) -> Result<Person, String> {
    let cell = |place: Option<usize>| {
        let cell = place.and_then(|place| cells.get(place));
        cell.map(String::as_str).filter(|cell| !cell.is_empty())
    };
    let written = cell(Some(columns.email)).ok_or("has no address")?;
    let shown = || harmless_line(written);
    let email = subscriber_email(written).map_err(|_| format!("{} is no address", shown()))?;
    let confirmed_at = match cell(columns.confirmed_at) {
        Some(text) => Some(past_time(text, now).ok_or_else(|| {
            let text = harmless_line(text);
            format!("confirmed_at {text} is no time that has been, like 2026-01-31 or 2026-01-31T09:00:00Z")
        })?),
        None => None,
    };
    let source = cell(columns.source).map(one_line);
    match &source {
        Some(source) if source.chars().count() > LONGEST_SOURCE => {
            Err(format!("source is longer than {LONGEST_SOURCE} characters"))
        }
        _ => Ok(Person {
            email,
            confirmed_at,
            source,
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn now() -> Timestamp {
        "2026-11-20T09:00:00Z".parse().unwrap()
    }

    fn wrong(text: &str) -> String {
        parse(text, now()).err().unwrap()
    }

    #[test]
    fn what_we_exported_ourselves_is_understood() {
        let text =
            "\u{feff}\"email\",\"confirmed_at (UTC)\"\r\n\"a@b.org\",\"2026-01-31 09:05:07\"\r\n";
        let file = parse(text, now()).unwrap();
        let confirmed = "2026-01-31T09:05:07Z".parse().unwrap();
        assert_eq!(file.people[0].confirmed_at, Some(confirmed));
        assert!(file.ignored.is_empty());
    }

    #[test]
    fn columns_stand_in_any_order_and_others_are_told() {
        let text = "Source,Name,E-Mail,confirmed_at\nfair,Ada,Ada@Example.org,2026-01-31\n\
            ,,ada@example.org,\n,,b@example.org,2026-01-31 09:05\n";
        let file = parse(text, now()).unwrap();
        assert_eq!((file.people.len(), file.repeated), (2, 1));
        assert_eq!(file.ignored, ["Name"]);
        let ada = &file.people[0];
        assert_eq!(ada.source.as_deref(), Some("fair"));
        assert_eq!(
            ada.confirmed_at,
            Some("2026-01-31T00:00:00Z".parse().unwrap())
        );
    }

    #[test]
    fn every_line_that_is_wrong_is_named() {
        let text = "email,confirmed_at\na@b.org,\nnobody,\nc@d.org,2030-01-01\n,2026-01-01\n";
        let said = wrong(text);
        assert!(said.contains("line 3: nobody is no address"), "{said}");
        assert!(said.contains("line 4: confirmed_at 2030-01-01"), "{said}");
        assert!(said.contains("line 5: has no address"), "{said}");
        let many = format!("email\n{}", "x\n".repeat(13));
        assert!(wrong(&many).ends_with("line 11: x is no address; and 3 more"));
    }

    #[test]
    fn a_file_that_is_none_is_refused() {
        assert!(wrong("").contains("empty"));
        assert!(wrong("a@b.org\n").contains("line 1: must name the columns"));
        assert!(wrong("email\n\"a@b.org\n").contains("line 2: a quote is never closed"));
        let many = format!(
            "email\n{}",
            "a@b.org\n".repeat(csv_reader::MOST_RECORDS + 1)
        );
        assert!(wrong(&many).contains("more than 100000 lines"));
        let long = format!("email,source\na@b.org,{}\n", "x".repeat(201));
        assert!(wrong(&long).contains("line 2: source is longer"));
    }
}
