//! CSV: exports that a spreadsheet opens without running anything (RFC 4180, every
//! cell quoted), and files that the owner imports.
//!
//! A spreadsheet takes a cell that begins with one of `= + - @` for a formula,
//! and visitors choose what their cells begin with. An apostrophe in front
//! makes it text; a phone number keeps its plus sign and all its digits.

use std::path::Path;

use anyhow::Context as _;
use clap::Args;
use csv::{ReaderBuilder, Trim};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::Failure;
use super::output::print_more;
use crate::config::read_regular;
use crate::domain::stored_enum;
use crate::store::{self, Cursor};

const LARGEST_FILE: u64 = 10 * 1024 * 1024;
/// So many rows are read at once: any number fits into memory.
pub const PAGE: usize = 500;

const DANGEROUS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

stored_enum!(
    /// How rows are written.
    Format {
        /// For a spreadsheet.
        Csv = "csv",
        /// One array.
        Json = "json",
        /// A line for each row.
        Ndjson = "ndjson",
    }
);

#[derive(Args, Debug)]
pub struct ExportArgs {
    #[arg(long, default_value = "csv", help = format!("How to write them: {}", Format::words()))]
    format: Format,

    /// Exactly what is stored: for programs. Without it, cells that a
    /// spreadsheet would take for a formula begin with an apostrophe
    #[arg(long)]
    raw: bool,
}

impl ExportArgs {
    /// Writes all rows to standard output. `read` returns the page after a place,
    /// `place` says where a row stands; `names` and `cells` are the columns of CSV.
    pub async fn write<T: Serialize>(
        &self,
        read: impl AsyncFn(Option<Cursor>) -> store::Result<Vec<T>>,
        place: impl Fn(&T) -> Cursor,
        names: &[&str],
        cells: impl Fn(&T) -> Vec<String>,
    ) -> Result<(), Failure> {
        let (start, between, end) = match self.format {
            Format::Csv => (self.header(names), "", ""),
            Format::Json => ("[\n".into(), ",\n", "\n]\n"),
            Format::Ndjson => (String::new(), "\n", "\n"),
        };
        let text = |row: &T| match self.format {
            Format::Csv => Ok(self.line(names, cells(row))),
            Format::Json | Format::Ndjson => serde_json::to_string(row),
        };
        let (mut before, mut after) = (start, None);
        loop {
            let page = read(after.clone()).await?;
            let Some(last) = page.last() else { break };
            after = Some(place(last));
            for row in &page {
                before += &text(row).map_err(anyhow::Error::from)?;
                before += between;
            }
            // A separator is only written when another row follows.
            let rest = before.split_off(before.len() - between.len());
            if !print_more(&std::mem::replace(&mut before, rest))? {
                return Ok(());
            }
        }
        match after {
            Some(_) => print_more(end)?,
            None if self.format == Format::Json => print_more("[]\n")?,
            None => print_more(&before)?,
        };
        Ok(())
    }

    /// For a spreadsheet with a byte order mark, or it takes the letters of other
    /// languages for signs, and with the zone of times.
    fn header(&self, names: &[&str]) -> String {
        let name = |name: &&str| match self.raw || !is_time(name) {
            true => (*name).to_owned(),
            false => format!("{name} (UTC)"),
        };
        let line = self.line(&[], names.iter().map(name).collect());
        if self.raw {
            line
        } else {
            format!("\u{feff}{line}")
        }
    }

    /// One line, its end included. A time is in whole seconds, as a spreadsheet
    /// reads it.
    fn line(&self, names: &[&str], cells: Vec<String>) -> String {
        let cells = cells.into_iter().enumerate().map(|(index, cell)| {
            let is_time = !self.raw && names.get(index).is_some_and(|name| is_time(name));
            let time = is_time.then(|| cell.parse::<Timestamp>().ok()).flatten();
            let text = time.map_or(cell, |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string());
            let is_guarded = !self.raw && text.starts_with(DANGEROUS);
            let guard = if is_guarded { "'" } else { "" };
            format!("\"{guard}{}\"", text.replace('"', "\"\""))
        });
        cells.collect::<Vec<_>>().join(",") + "\r\n"
    }
}

fn is_time(column: &str) -> bool {
    column.ends_with("_at")
}

/// A record and the line that it begins on.
pub type Record = (u64, Vec<String>);

/// Reads a file: the names of its columns, and the records below them. `parse` says
/// what is wrong with the whole.
pub fn read_file<T>(
    file: &Path,
    parse: impl FnOnce(Vec<String>, Vec<Record>) -> Result<T, String>,
) -> Result<T, Failure> {
    let shown = file.display();
    let read = read_regular(file, LARGEST_FILE);
    let (bytes, _) = read.with_context(|| format!("cannot read {shown}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| "the file is not UTF-8 text: save it as CSV UTF-8".to_owned());
    let records = text.and_then(|text| records(&text));
    let found = records.and_then(|mut records| match records.is_empty() {
        true => Err("the file is empty".into()),
        false => parse(records.remove(0).1, records),
    });
    found.map_err(|wrong| Failure::Usage(format!("{shown}: {wrong}; nothing was imported")))
}

/// Every record that has anything in it, with commas, semicolons or tabs between
/// cells: whichever the first line has.
fn records(text: &str) -> Result<Vec<Record>, String> {
    // So that the reader counts lines right.
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    if text.matches('"').count() % 2 == 1 {
        return Err("a quote is never closed".into());
    }
    let header = text.lines().next().unwrap_or_default();
    let separators = [b',', b';', b'\t'].into_iter();
    let mut separators = separators.filter(|each| header.contains(char::from(*each)));
    let mut reader = ReaderBuilder::new()
        .delimiter(separators.next().unwrap_or(b','))
        .has_headers(false)
        .flexible(true)
        .trim(Trim::All)
        .from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().any(|cell| !cell.is_empty()) {
            records.push((line, record.iter().map(str::to_owned).collect()));
        }
    }
    Ok(records)
}

/// A time that has been; UTC unless it says otherwise.
pub fn past_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    let time: Timestamp = match text.parse() {
        Ok(time) => time,
        Err(_) => {
            let local: DateTime = text.parse().ok()?;
            local.to_zoned(TimeZone::UTC).ok()?.timestamp()
        }
    };
    (time <= now).then_some(time)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn export(raw: bool) -> ExportArgs {
        let format = Format::Csv;
        ExportArgs { format, raw }
    }

    #[test]
    fn formulas_become_text_times_lose_their_fraction_and_raw_changes_nothing() {
        let time = "2026-01-31T09:05:07.123Z";
        let cells = [
            "=1+1",
            "+1 (416) 555-0142",
            "-2",
            "@sum",
            "\tx",
            "plain",
            time,
        ];
        let names = ["a", "b", "c", "d", "e", "f", "created_at"];
        let line = |raw| export(raw).line(&names, cells.map(str::to_owned).to_vec());
        assert_eq!(
            line(false),
            "\"'=1+1\",\"'+1 (416) 555-0142\",\"'-2\",\"'@sum\",\"'\tx\",\"plain\",\
            \"2026-01-31 09:05:07\"\r\n"
        );
        let raw = cells.map(|cell| format!("\"{cell}\"")).join(",");
        assert_eq!(line(true), raw + "\r\n");
    }

    #[test]
    fn quotes_line_ends_and_separators_of_all_kinds_are_read() {
        for text in [
            "email,source\r\na@b.org,\"fair, \"\"May\"\"\"\r\n\"c@d.org\n\",\r\nz,\r\n",
            "\u{feff}email;source\n a@b.org ;\"fair, \"\"May\"\"\"\n\"c@d.org\n\";\nz;",
            "email\tsource\na@b.org\t\"fair, \"\"May\"\"\"\n\"c@d.org\n\"\t\nz\t\n",
        ] {
            let cells = |line, cells: [&str; 2]| (line, cells.map(str::to_owned).to_vec());
            let expected = [
                cells(1, ["email", "source"]),
                cells(2, ["a@b.org", "fair, \"May\""]),
                cells(3, ["c@d.org", ""]),
                cells(5, ["z", ""]),
            ];
            assert_eq!(records(text).unwrap(), expected, "{text}");
        }
        assert!(records("a\nb\n\"x\ny").unwrap_err().contains("a quote"));
    }

    #[test]
    fn times_are_read_as_programs_and_postgresql_write_them() {
        let now = "2026-11-20T09:00:00Z".parse().unwrap();
        for text in [
            "2026-03-01T12:00:00Z",
            "2026-03-01T14:00:00+02:00",
            "2026-03-01 12:00:00+00",
            "2026-03-01 17:30:00.000+05:30",
            "2026-03-01 12:00:00",
        ] {
            let time = past_time(text, now).map(|time| time.to_string());
            assert_eq!(time.as_deref(), Some("2026-03-01T12:00:00Z"), "{text}");
        }
        for text in ["", "yesterday", "1772366400", "2026-11-20T09:00:01Z"] {
            assert_eq!(past_time(text, now), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn raw_cells_read_back_as_they_were(
            cells in proptest::collection::vec("[a-z\",=+🍁-]{1,12}", 1..6)
        ) {
            let line = export(true).line(&[], cells.clone());
            let lines = format!("x,\r\n{line}");
            prop_assert_eq!(&records(&lines).unwrap()[1].1, &cells);
        }
    }
}
