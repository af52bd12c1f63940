//! CSV that a spreadsheet opens without running anything (RFC 4180, every
//! cell quoted).
//!
//! A spreadsheet takes a cell that begins with one of `= + - @` for a formula,
//! and visitors choose what their cells begin with. An apostrophe in front
//! makes it text; a phone number keeps its plus sign and all its digits.

use jiff::Timestamp;

/// Whether cells are made safe for a spreadsheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guard {
    Spreadsheet,
    /// Exactly what is stored: for programs.
    Raw,
}

const DANGEROUS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// What a file begins with: without it a spreadsheet takes the letters of other
/// languages for signs.
pub fn start(guard: Guard) -> String {
    match guard {
        Guard::Spreadsheet => "\u{feff}".into(),
        Guard::Raw => String::new(),
    }
}

pub fn is_time(column: &str) -> bool {
    column.ends_with("_at")
}

/// The name of a column; people want to know whose time it is.
pub fn column(name: &str, guard: Guard) -> String {
    match guard == Guard::Spreadsheet && is_time(name) {
        true => format!("{name} (UTC)"),
        false => name.to_owned(),
    }
}

/// A stored time in whole seconds, as a spreadsheet reads it; in UTC.
pub fn time(stored: String, guard: Guard) -> String {
    match (guard, stored.parse::<Timestamp>()) {
        (Guard::Spreadsheet, Ok(time)) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        _ => stored,
    }
}

/// One line, its end included.
pub fn line<'a>(cells: impl IntoIterator<Item = &'a str>, guard: Guard) -> String {
    let cells: Vec<_> = cells.into_iter().map(|text| cell(text, guard)).collect();
    format!("{}\r\n", cells.join(","))
}

fn cell(text: &str, guard: Guard) -> String {
    let guarded = guard == Guard::Spreadsheet && text.starts_with(DANGEROUS);
    let apostrophe = if guarded { "'" } else { "" };
    format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn formulas_become_text_and_a_phone_number_stays_readable() {
        let cells = [
            "=1+1",
            "+1 (416) 555-0142",
            "-2",
            "@sum",
            "\tx",
            "plain",
            "",
        ];
        assert_eq!(
            line(cells, Guard::Spreadsheet),
            "\"'=1+1\",\"'+1 (416) 555-0142\",\"'-2\",\"'@sum\",\"'\tx\",\"plain\",\"\"\r\n"
        );
        assert_eq!(line(["=1", "+1"], Guard::Raw), "\"=1\",\"+1\"\r\n");
    }

    #[test]
    fn a_time_has_no_fraction_unless_it_is_for_a_program() {
        let stored = "2026-01-31T09:05:07.123Z".to_owned();
        assert_eq!(
            time(stored.clone(), Guard::Spreadsheet),
            "2026-01-31 09:05:07"
        );
        assert_eq!(time(stored.clone(), Guard::Raw), stored);
        assert_eq!(time(String::new(), Guard::Spreadsheet), "");
    }

    /// Reads one line back the way RFC 4180 says.
    fn read(line: &str) -> Vec<String> {
        let body = line.strip_suffix("\r\n").unwrap();
        let mut cells = Vec::new();
        let mut rest = body;
        loop {
            rest = rest.strip_prefix('"').unwrap();
            let mut cell = String::new();
            loop {
                let (before, after) = rest.split_once('"').unwrap();
                cell.push_str(before);
                rest = after;
                match rest.strip_prefix('"') {
                    Some(after) => {
                        cell.push('"');
                        rest = after;
                    }
                    None => break,
                }
            }
            cells.push(cell);
            match rest.strip_prefix(',') {
                Some(after) => rest = after,
                None => break,
            }
        }
        assert!(rest.is_empty());
        cells
    }

    proptest! {
        #[test]
        fn raw_cells_read_back_as_they_were(
            cells in proptest::collection::vec("[a-z\",=+\\r\\n🍁 -]{0,12}|\\PC*", 1..6)
        ) {
            let line = line(cells.iter().map(String::as_str), Guard::Raw);
            prop_assert_eq!(read(&line), cells);
        }

        #[test]
        fn guarded_cells_are_safe_and_lose_nothing(
            cells in proptest::collection::vec("[=+@\\t\\r\\n'\",a-]{0,8}", 1..6)
        ) {
            let line = line(cells.iter().map(String::as_str), Guard::Spreadsheet);
            for (found, cell) in read(&line).into_iter().zip(cells) {
                prop_assert!(!found.starts_with(DANGEROUS));
                let guarded = format!("'{cell}");
                prop_assert!(found == cell || found == guarded);
            }
        }
    }
}
