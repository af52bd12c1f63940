//! CSV files: exports that a spreadsheet opens without running anything (RFC 4180, every
//! cell quoted), and files that the owner imports.
//!
//! A spreadsheet takes a cell that begins with one of `= + - @` for a formula, and visitors
//! choose the text of their cells. An apostrophe in front makes such a cell text; a phone
//! number keeps its plus sign and all its digits.

use std::path::Path;

use anyhow::{Context as _, Result, anyhow};
use clap::Args;
use csv::{Position, ReaderBuilder, StringRecord, Trim};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde::Serialize;

use super::UsageError;
use super::lists::time_in;
use super::output::{eprint_line, print, print_more, printable_line};
use crate::config::read_regular;
use crate::content::site;
use crate::csv::{csv_header, csv_line, unguarded};
use crate::domain::word_enum;
use crate::store::{self, Cursor};

const MAX_FILE: u64 = 10 * 1024 * 1024;
/// Exports read rows in pages of this size, so that memory doesn't limit their number.
pub const PAGE: usize = 500;

word_enum!(
    /// How rows are written: for a spreadsheet, as one array, or as a line for each.
    Format {
        Csv = "csv",
        Json = "json",
        Ndjson = "ndjson",
    }
);

#[derive(Args, Debug)]
pub struct ExportArgs {
    #[arg(long, default_value = "csv", help = format!("Output format: {}", Format::choices()))]
    format: Format,

    /// Write exactly what is stored, for programs; without this, cells that a spreadsheet
    /// would take for a formula begin with an apostrophe
    #[arg(long)]
    raw: bool,
}

impl ExportArgs {
    /// Writes all rows to standard output. `read` returns the page after a cursor,
    /// `cursor` the cursor of a row; `names` and `cells` are the columns of CSV.
    pub async fn write<T: Serialize>(
        &self,
        read: impl AsyncFn(Option<Cursor>) -> store::Result<Vec<T>>,
        cursor: impl Fn(&T) -> Cursor,
        names: &[&str],
        cells: impl Fn(&T) -> Vec<String>,
    ) -> Result<()> {
        let (start, between, end) = match self.format {
            Format::Csv => (csv_header(names, self.raw), "", ""),
            Format::Json => ("[".into(), ",\n", "]\n"),
            Format::Ndjson => (String::new(), "", ""),
        };
        let (mut text, mut after) = (start, None);
        while print_more(&text)? {
            let page = read(after.clone()).await?;
            let Some(last) = page.last() else {
                return print(end);
            };
            text.clear();
            for row in &page {
                if after.is_some() || !text.is_empty() {
                    text += between;
                }
                text += &match self.format {
                    Format::Csv => csv_line(names, cells(row), self.raw),
                    Format::Json => serde_json::to_string(row)?,
                    Format::Ndjson => serde_json::to_string(row)? + "\n",
                };
            }
            after = Some(cursor(last));
        }
        Ok(())
    }
}

/// A file that the owner imports: its column names, and its records.
pub struct Import {
    names: Vec<String>,
    records: Vec<StringRecord>,
}

/// One record, whose cells are found by column name.
pub struct Record<'a> {
    names: &'a [String],
    cells: &'a StringRecord,
}

impl Record<'_> {
    /// The text in a column; empty if the file has no such column.
    pub fn cell(&self, column: &str) -> &str {
        let index = self.names.iter().position(|name| name == column);
        let cell = index.and_then(|index| self.cells.get(index));
        unguarded(cell.unwrap_or_default())
    }
}

impl Import {
    /// Reads a file. Refuses it if a `needed` column is missing, and prints the names of
    /// columns that aren't `used`.
    pub fn read(file: &Path, needed: &[&str], used: impl Fn(&str) -> bool) -> Result<Self> {
        let shown = file.display();
        let read = read_regular(file, MAX_FILE);
        let (bytes, _) = read.with_context(|| format!("can't read {shown}"))?;
        let import = Self::parse(bytes, needed)
            .map_err(|wrong| UsageError(format!("{shown}: {wrong}; nothing was imported")))?;
        let unused = import.names.iter().filter(|name| !used(name));
        let unused: Vec<_> = unused.map(|name| printable_line(name)).collect();
        if !unused.is_empty() {
            eprint_line!("These columns aren't used: {}", unused.join(", "));
        }
        Ok(import)
    }

    fn parse(bytes: Vec<u8>, needed: &[&str]) -> Result<Self, String> {
        let text = String::from_utf8(bytes)
            .map_err(|_| "the file isn't UTF-8 text: save it as CSV UTF-8")?;
        let mut records = records(&text)?;
        if records.is_empty() {
            return Err("the file is empty".into());
        }
        // Our own exports and other programs spell column names like this.
        let name = |name: &str| {
            let name = name.to_lowercase().replace("e-mail", "email");
            let name = name.trim_end_matches(" (utc)");
            name.trim_end_matches(" address").to_owned()
        };
        let names: Vec<_> = records.remove(0).iter().map(name).collect();
        match needed.iter().find(|name| !names.iter().any(|n| n == *name)) {
            Some(missing) => Err(format!(
                "line 1: must name the columns; {missing} is missing"
            )),
            None => Ok(Self { names, records }),
        }
    }

    /// Reads each record. Prints the line numbers of wrong ones, and returns the good ones
    /// and the number of wrong ones.
    pub fn read_each<T>(&self, read: impl Fn(Record<'_>) -> Result<T, String>) -> (Vec<T>, u64) {
        let (mut good, mut wrong) = (Vec::new(), 0);
        let names = &self.names;
        for cells in &self.records {
            let read = if cells.len() > names.len() {
                Err("has more cells than line 1 has columns".into())
            } else {
                read(Record { names, cells })
            };
            match read {
                Ok(value) => good.push(value),
                Err(problem) => {
                    eprint_line!("line {}: {problem}", line(cells));
                    wrong += 1;
                }
            }
        }
        (good, wrong)
    }
}

/// Stores an import in parts, because visitors' forms wait for each transaction.
pub async fn in_parts<T>(
    all: &[T],
    size: usize,
    mut store: impl AsyncFnMut(&[T]) -> store::Result<()>,
) -> Result<()> {
    for (number, part) in all.chunks(size).enumerate() {
        let (done, all) = (number * size, all.len());
        store(part).await.map_err(|error| {
            anyhow!("{error} after {done} of {all}; run the same command again to continue")
        })?;
    }
    Ok(())
}

/// A report: its first line, and a line for each number that isn't 0.
pub fn report(first: &str, numbers: &[(u64, &str)]) -> String {
    let nonzero = numbers.iter().filter(|(number, _)| *number > 0);
    let lines = nonzero.map(|(number, words)| format!("{number:>7} {words}\n"));
    format!("{first}\n{}", lines.collect::<String>())
}

/// Reads every record that isn't empty. The separator is a comma, a semicolon or a tab,
/// whichever the first line has.
fn records(text: &str) -> Result<Vec<StringRecord>, String> {
    // With plain line breaks, the reader counts lines correctly.
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
    let records: Vec<_> = reader
        .records()
        .collect::<Result<_, _>>()
        .map_err(|e| e.to_string())?;
    let is_filled = |record: &StringRecord| record.iter().any(|cell| !cell.is_empty());
    Ok(records.into_iter().filter(is_filled).collect())
}

fn line(record: &StringRecord) -> u64 {
    record.position().map_or(0, Position::line)
}

/// Parses a time in the past. A date is a day in the site's zone; a time without a zone is in UTC,
/// as databases export it.
pub fn past_time(text: &str, now: Timestamp) -> Option<Timestamp> {
    let is_date = !text.contains(':');
    let zone = if is_date {
        site().zone()
    } else {
        TimeZone::UTC
    };
    time_in(zone, text).filter(|time| *time <= now)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_line_ends_and_separators_of_all_kinds_are_read() {
        for text in [
            "email,source\r\na@b.org,\"fair, \"\"May\"\"\"\r\n\"c@d.org\n\",\r\nz,\r\n",
            "\u{feff}email;source\n a@b.org ;\"fair, \"\"May\"\"\"\n\"c@d.org\n\";\nz;",
            "email\tsource\na@b.org\t\"fair, \"\"May\"\"\"\n\"c@d.org\n\"\t\nz\t\n",
        ] {
            let expected = [
                (1, ["email", "source"]),
                (2, ["a@b.org", "fair, \"May\""]),
                (3, ["c@d.org", ""]),
                (5, ["z", ""]),
            ];
            let found = records(text).unwrap();
            let found = found.iter().map(|each| (line(each), each.iter().collect()));
            let found: Vec<(u64, Vec<&str>)> = found.collect();
            assert_eq!(found, expected.map(|(line, cells)| (line, cells.to_vec())));
        }
        assert!(records("a\nb\n\"x\ny").unwrap_err().contains("a quote"));
    }

    #[test]
    fn columns_stand_in_any_order_and_may_be_named_as_in_our_exports() {
        let text = "Source,E-Mail Address,confirmed_at (UTC)\nfair,ada@b.org\n,x,y,z\n";
        let import = Import::parse(text.into(), &["email"]).unwrap();
        let columns = ["email", "source", "confirmed_at"];
        let (good, wrong) = import.read_each(|record| {
            let cells = columns.map(|column| record.cell(column).to_owned());
            Ok(cells)
        });
        assert_eq!(good, [["ada@b.org", "fair", ""].map(str::to_owned)]);
        assert_eq!(wrong, 1);
        assert!(Import::parse("a@b.org\n".into(), &["email"]).is_err());
    }
}
