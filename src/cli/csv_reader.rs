//! Reading CSV as spreadsheets and other programs write it (RFC 4180), with
//! commas, semicolons or tabs between cells: files that the owner imports.

use std::path::Path;

use anyhow::Context as _;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::Failure;
use crate::config::read_regular;

const LARGEST_FILE: u64 = 10 * 1024 * 1024;
pub const MOST_RECORDS: usize = 100_000;

/// A record and the line that it begins on.
pub type Record = (usize, Vec<String>);

/// A quote that is never closed, by its line.
#[derive(Debug, PartialEq, Eq)]
struct Unclosed(usize);

/// Reads a file and what is in it; `parse` says what is wrong with the whole.
pub fn read_file<T>(
    file: &Path,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<T, Failure> {
    let shown = file.display();
    let read = read_regular(file, LARGEST_FILE);
    let (bytes, _) = read.with_context(|| format!("cannot read {shown}"))?;
    let text = String::from_utf8(bytes)
        .map_err(|_| "the file is not UTF-8 text: save it as CSV UTF-8".to_owned());
    let found = text.and_then(|text| parse(&text));
    found.map_err(|wrong| Failure::Usage(format!("{shown}: {wrong}; nothing was imported")))
}

/// The names of the columns as they are written, and the records below them.
pub fn table(text: &str) -> Result<(Vec<String>, Vec<Record>), String> {
    let records =
        records(text).map_err(|Unclosed(line)| format!("line {line}: a quote is never closed"))?;
    let mut records = records.into_iter();
    let (_, header) = records.next().ok_or("the file is empty")?;
    if records.len() > MOST_RECORDS {
        return Err(format!(
            "the file has more than {MOST_RECORDS} lines: split it"
        ));
    }
    Ok((header, records.collect()))
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

/// Every record that has anything in it.
fn records(text: &str) -> Result<Vec<Record>, Unclosed> {
    let text = text.trim_start_matches('\u{feff}');
    let between = separator(text.lines().next().unwrap_or_default());
    let mut reader = Reader {
        between,
        records: Vec::new(),
        record: Vec::new(),
        cell: String::new(),
        line: 1,
        began: 1,
    };
    reader.read(text)?;
    Ok(reader.records)
}

/// The one that the first line has.
fn separator(header: &str) -> char {
    let has = |c: &char| header.contains(*c);
    [',', ';', '\t'].into_iter().find(has).unwrap_or(',')
}

struct Reader {
    between: char,
    records: Vec<Record>,
    record: Vec<String>,
    cell: String,
    line: usize,
    began: usize,
}

impl Reader {
    fn read(&mut self, text: &str) -> Result<(), Unclosed> {
        let mut quoted_since = None;
        let mut rest = text.chars().peekable();
        while let Some(c) = rest.next() {
            self.line += usize::from(c == '\n');
            match (c, quoted_since) {
                ('"', Some(_)) if rest.peek() == Some(&'"') => {
                    rest.next();
                    self.cell.push('"');
                }
                ('"', Some(_)) => quoted_since = None,
                ('"', None) if self.cell.is_empty() => quoted_since = Some(self.line),
                (c, Some(_)) => self.cell.push(c),
                ('\r', None) => {}
                ('\n', None) => self.end_record(),
                (c, None) if c == self.between => self.end_cell(),
                (c, None) => self.cell.push(c),
            }
        }
        self.end_record();
        quoted_since.map_or(Ok(()), |line| Err(Unclosed(line)))
    }

    fn end_cell(&mut self) {
        let cell = std::mem::take(&mut self.cell);
        self.record.push(cell.trim().to_owned());
    }

    fn end_record(&mut self) {
        self.end_cell();
        let record = std::mem::take(&mut self.record);
        if record.iter().any(|cell| !cell.is_empty()) {
            self.records.push((self.began, record));
        }
        self.began = self.line;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cells(text: &str) -> Vec<(usize, Vec<String>)> {
        records(text).unwrap()
    }

    #[test]
    fn quotes_line_ends_and_separators_of_all_kinds_are_read() {
        for text in [
            "email,source\r\na@b.org,\"fair, \"\"May\"\"\"\r\n\r\nc@d.org,\r\n",
            "\u{feff}email;source\n a@b.org ;\"fair, \"\"May\"\"\"\n\nc@d.org;",
            "email\tsource\na@b.org\t\"fair, \"\"May\"\"\"\n\nc@d.org\t\n",
        ] {
            let expected = [
                (1, vec!["email", "source"]),
                (2, vec!["a@b.org", "fair, \"May\""]),
                (4, vec!["c@d.org", ""]),
            ];
            let expected = expected.map(|(line, cells)| {
                (
                    line,
                    cells.into_iter().map(str::to_owned).collect::<Vec<_>>(),
                )
            });
            assert_eq!(cells(text), expected, "{text}");
        }
    }

    #[test]
    fn a_cell_may_go_over_lines_and_must_end() {
        assert_eq!(cells("a\n\"x\ny\"\nz")[2], (4, vec!["z".to_owned()]));
        assert_eq!(records("a\nb\n\"x\ny"), Err(Unclosed(3)));
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
        fn any_text_is_read_without_a_panic(text in "[a,;\"\n\r\t é]{0,60}") {
            let _ = records(&text);
        }
    }
}
