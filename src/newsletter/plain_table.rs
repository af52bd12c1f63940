//! A table in plain text: aligned where it fits a mail's line, otherwise told
//! row by row.

use pulldown_cmark::Alignment;
use unicode_width::UnicodeWidthStr as _;

const GAP: &str = "  ";
/// As long as lines of plain mails are.
const LONGEST_LINE: usize = 76;

#[derive(Default)]
pub struct PlainTable {
    pub columns: Vec<Alignment>,
    /// The first one names the columns.
    pub rows: Vec<Vec<String>>,
}

impl PlainTable {
    pub fn begin_row(&mut self) {
        self.rows.push(Vec::new());
    }

    pub fn add(&mut self, cell: String) {
        if let Some(row) = self.rows.last_mut() {
            row.push(cell.trim().to_owned());
        }
    }

    pub fn lines(&self) -> Vec<String> {
        let widths = self.widths();
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        match widths.iter().sum::<usize>() + gaps <= LONGEST_LINE {
            true => self.aligned(&widths),
            false => self.row_by_row(),
        }
    }

    fn widths(&self) -> Vec<usize> {
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            cells.map(|cell| cell.width()).max().unwrap_or_default()
        };
        (0..self.columns.len()).map(width).collect()
    }

    fn aligned(&self, widths: &[usize]) -> Vec<String> {
        let draw = |row: &Vec<String>| {
            let cells = row.iter().zip(widths).enumerate();
            let cells = cells.map(|(column, (cell, width))| self.pad(cell, *width, column));
            let cells: Vec<_> = cells.collect();
            cells.join(GAP).trim_end().to_owned()
        };
        let mut lines: Vec<_> = self.rows.iter().map(draw).collect();
        let rule: Vec<_> = widths.iter().map(|width| "-".repeat(*width)).collect();
        lines.insert(lines.len().min(1), rule.join(GAP));
        lines
    }

    fn pad(&self, cell: &str, width: usize, column: usize) -> String {
        let room = " ".repeat(width.saturating_sub(cell.width()));
        match self.columns.get(column) {
            Some(Alignment::Right) => format!("{room}{cell}"),
            _ => format!("{cell}{room}"),
        }
    }

    fn row_by_row(&self) -> Vec<String> {
        let (names, rows) = self.rows.split_first().unzip();
        let names = names.map(Vec::as_slice).unwrap_or_default();
        let mut lines = Vec::new();
        for (number, row) in rows.unwrap_or_default().iter().enumerate() {
            if number > 0 {
                lines.push(String::new());
            }
            let cells = names.iter().zip(row).filter(|(_, cell)| !cell.is_empty());
            lines.extend(cells.map(|(name, cell)| match name.is_empty() {
                true => cell.clone(),
                false => format!("{name}: {cell}"),
            }));
        }
        lines
    }
}
