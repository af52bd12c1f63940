//! CSV for spreadsheets (RFC 4180, every cell quoted).

use jiff::Timestamp;

const DANGEROUS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\n'];

/// A quoted cell of a CSV file. Unless `raw` is set, a text that a spreadsheet would take for a
/// formula gets an apostrophe in front.
pub fn csv_cell(text: &str, raw: bool) -> String {
    let is_guarded = !raw && text.starts_with(DANGEROUS);
    let guard = if is_guarded { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

/// The text of a cell without the apostrophe that [`csv_cell`] has put in front.
pub fn unguarded(cell: &str) -> &str {
    let text = cell.strip_prefix('\'');
    text.filter(|text| text.starts_with(DANGEROUS))
        .unwrap_or(cell)
}

/// The first line of a CSV file. A spreadsheet needs a byte order mark to read UTF-8, and shows
/// times without their zone, which is named here.
pub fn csv_header(names: &[&str], raw: bool) -> String {
    let name = |name: &&str| {
        if raw || !is_time(name) {
            (*name).to_owned()
        } else {
            format!("{name} (UTC)")
        }
    };
    let line = csv_line(&[], names.iter().map(name).collect(), raw);
    if raw { line } else { format!("\u{feff}{line}") }
}

/// One line, with its line break. Times are in whole seconds for a spreadsheet.
pub fn csv_line(names: &[&str], cells: Vec<String>, raw: bool) -> String {
    let cells = cells.into_iter().enumerate().map(|(index, cell)| {
        let is_time = !raw && names.get(index).is_some_and(|name| is_time(name));
        let time = is_time.then(|| cell.parse::<Timestamp>().ok()).flatten();
        let text = time.map_or(cell, |time| time.strftime("%Y-%m-%d %H:%M:%S").to_string());
        csv_cell(&text, raw)
    });
    cells.collect::<Vec<_>>().join(",") + "\r\n"
}

fn is_time(column: &str) -> bool {
    column.ends_with("_at")
}
