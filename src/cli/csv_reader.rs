//! Reading CSV as spreadsheets and other programs write it (RFC 4180), with
//! commas, semicolons or tabs between cells.

/// A record and the line that it begins on.
pub type Record = (usize, Vec<String>);

/// A quote that is never closed, by its line.
#[derive(Debug, PartialEq, Eq)]
pub struct Unclosed(pub usize);

/// Every record that has anything in it.
pub fn records(text: &str) -> Result<Vec<Record>, Unclosed> {
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

    proptest! {
        #[test]
        fn any_text_is_read_without_a_panic(text in "[a,;\"\n\r\t é]{0,60}") {
            let _ = records(&text);
        }
    }
}
