//! Tables that fit a terminal, and visitors' text made harmless for it.

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

const GAP: &str = "  ";

/// One column: its cells, and how it gives way when the terminal is narrow.
pub struct Column<T> {
    title: &'static str,
    cell: fn(&T) -> String,
    /// May be cut down to this many cells; `None`: never cut.
    least: Option<usize>,
    /// Left out when there is no room at all; the highest goes first.
    dispensable: u8,
    /// Left out when none of its cells says anything.
    if_any: bool,
}

impl<T> Column<T> {
    /// Always shown whole.
    pub const fn whole(title: &'static str, cell: fn(&T) -> String) -> Self {
        Self {
            title,
            cell,
            least: None,
            dispensable: 0,
            if_any: false,
        }
    }

    /// Cut when there is not enough room.
    pub const fn cut(title: &'static str, least: usize, cell: fn(&T) -> String) -> Self {
        Self {
            least: Some(least),
            ..Self::whole(title, cell)
        }
    }

    pub const fn dispensable(mut self, rank: u8) -> Self {
        self.dispensable = rank;
        self
    }

    pub const fn if_any(mut self) -> Self {
        self.if_any = true;
        self
    }
}

/// The table's lines, the titles first, each at most `width` cells wide where
/// they can be.
pub fn render<T>(columns: &[Column<T>], list: &[T], width: usize) -> Vec<String> {
    let says_something = |column: &&Column<T>| {
        !column.if_any || list.iter().any(|each| !(column.cell)(each).is_empty())
    };
    let columns: Vec<_> = columns.iter().filter(says_something).collect();
    let titles = columns.iter().map(|column| column.title.to_owned());
    let row = |each: &T| {
        let cells = columns.iter().map(|column| (column.cell)(each));
        cells.map(|cell| harmless_line(&cell)).collect()
    };
    let mut rows: Vec<Vec<String>> = vec![titles.collect()];
    rows.extend(list.iter().map(row));
    let natural = |index: usize| rows.iter().map(|row| row[index].width()).max();
    let natural: Vec<_> = (0..columns.len()).filter_map(natural).collect();
    let widths = fit(&columns, &natural, width);
    rows.iter().map(|row| draw(row, &widths)).collect()
}

/// The width of each column; 0 for one that is left out.
fn fit<T>(columns: &[&Column<T>], natural: &[usize], width: usize) -> Vec<usize> {
    let least = |index: usize| match columns[index].least {
        Some(least) => least.min(natural[index]),
        None => natural[index],
    };
    let mut shown: Vec<usize> = (0..columns.len()).collect();
    let gaps = |shown: &[usize]| GAP.len() * shown.len().saturating_sub(1);
    while shown.iter().map(|&index| least(index)).sum::<usize>() + gaps(&shown) > width {
        let first_to_go = shown
            .iter()
            .copied()
            .max_by_key(|&i| columns[i].dispensable);
        match first_to_go.filter(|&index| columns[index].dispensable > 0) {
            Some(index) => shown.retain(|&each| each != index),
            None => break,
        }
    }
    let mut widths = vec![0; columns.len()];
    for &index in &shown {
        widths[index] = least(index);
    }
    // What is left goes, cell by cell, to the narrowest column that needs it.
    let used = widths.iter().sum::<usize>() + gaps(&shown);
    for _ in used..width.max(used) {
        let needy = shown.iter().copied().filter(|&i| widths[i] < natural[i]);
        match needy.min_by_key(|&index| widths[index]) {
            Some(index) => widths[index] += 1,
            None => break,
        }
    }
    widths
}

fn draw(row: &[String], widths: &[usize]) -> String {
    let cells = row.iter().zip(widths).filter(|(_, width)| **width > 0);
    let padded: Vec<String> = cells
        .map(|(cell, &width)| {
            let text = cut(cell, width);
            let padding = width.saturating_sub(text.width());
            format!("{text}{}", " ".repeat(padding))
        })
        .collect();
    padded.join(GAP).trim_end().to_owned()
}

/// At most `width` cells, with an ellipsis where something is missing.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        let cells = c.width().unwrap_or(0);
        if used + cells + 1 > width {
            break;
        }
        used += cells;
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// No control character and no sign that turns the direction of writing: a
/// visitor's text must not be able to move the cursor or disguise itself.
pub fn harmless(text: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(
        |c: char| (c.is_control() && c != '\n') || turns(c),
        "\u{fffd}",
    )
}

/// The same on one line.
pub fn harmless_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().map(harmless).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Row = [String; 4];

    const COLUMNS: [Column<Row>; 4] = [
        Column::whole("ID", |row: &Row| row[0].clone()),
        Column::cut("NAME", 6, |row: &Row| row[1].clone()),
        Column::cut("MESSAGE", 8, |row: &Row| row[2].clone()).dispensable(2),
        Column::cut("FORM", 4, |row: &Row| row[3].clone()).dispensable(1),
    ];

    fn rows() -> [Row; 1] {
        let row = [
            "12345678",
            "Ada Lovelace",
            "Hello there,\nI have a question",
            "contact",
        ];
        [row.map(str::to_owned)]
    }

    fn text(width: usize) -> String {
        render(&COLUMNS, &rows(), width).join("\n")
    }

    #[test]
    fn a_column_that_says_nothing_can_be_left_out() {
        let columns = [
            Column::whole("ID", |row: &Row| row[0].clone()),
            Column::whole("WHY", |_: &Row| String::new()).if_any(),
        ];
        assert_eq!(render(&columns, &rows(), 80), ["ID", "12345678"]);
    }

    #[test]
    fn with_enough_room_everything_is_shown() {
        assert_eq!(
            text(usize::MAX),
            "ID        NAME          MESSAGE                         FORM\n\
             12345678  Ada Lovelace  Hello there, I have a question  contact"
        );
    }

    #[test]
    fn a_narrow_terminal_cuts_first_and_then_leaves_out() {
        assert_eq!(
            text(40),
            "ID        NAME        MESSAGE    FORM\n\
             12345678  Ada Lovel…  Hello th…  contact"
        );
        assert_eq!(
            text(24),
            "ID        NAME    FORM\n\
             12345678  Ada L…  conta…"
        );
    }

    #[test]
    fn escape_sequences_and_turned_text_are_disarmed() {
        let text = harmless("a\u{1b}[2Jb\u{202e}c\u{9b}d\ne");
        assert_eq!(text, "a\u{fffd}[2Jb\u{fffd}c\u{fffd}d\ne");
    }

    proptest! {
        #[test]
        fn no_line_is_wider_than_the_terminal(
            name in "\\PC{0,30}|[李🍁é\\x1b\\n]{0,30}", message in any::<String>(),
            width in 20_usize..120,
        ) {
            let rows = [["12345678".to_owned(), name, message, "contact".to_owned()]];
            let table = render(&COLUMNS, &rows, width);
            prop_assert_eq!(table.len(), 2);
            for line in table {
                prop_assert!(line.width() <= width, "{} > {}", line.width(), width);
                prop_assert!(!line.contains(char::is_control));
            }
        }
    }
}
