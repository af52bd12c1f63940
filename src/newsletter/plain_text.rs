//! Markdown written as plain text that reads like a mail somebody typed.

use pulldown_cmark::{Event, Tag, TagEnd};

use super::plain_table::PlainTable;

#[derive(Default)]
pub struct TextWriter {
    out: String,
    /// The next number of each open list; `None`: bullets.
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// The targets of open links and where their words begin.
    links: Vec<(String, usize)>,
    table: PlainTable,
    /// Where the words of the open cell begin.
    cell: usize,
}

impl TextWriter {
    pub fn finish(self) -> String {
        self.out.trim_end().to_owned() + "\n"
    }

    pub fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) => self.words(&text),
            Event::SoftBreak => self.out.push(' '),
            Event::HardBreak => self.new_line(),
            Event::Rule => self.block("* * *"),
            _ => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph | Tag::CodeBlock(_) if !self.at_item_start() => self.gap(),
            Tag::Heading { .. } => self.gap(),
            Tag::BlockQuote(_) => {
                self.gap();
                self.quotes += 1;
            }
            Tag::List(start) => {
                if self.lists.is_empty() {
                    self.gap();
                }
                self.lists.push(start);
            }
            Tag::Item => self.item(),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.out.len()));
            }
            Tag::Table(columns) => {
                self.gap();
                self.table = PlainTable {
                    columns,
                    ..PlainTable::default()
                };
            }
            Tag::TableHead | Tag::TableRow => self.table.begin_row(),
            Tag::TableCell => self.cell = self.out.len(),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::TableCell => self.table.add(self.out.split_off(self.cell)),
            TagEnd::Table => {
                let lines = self.table.lines();
                self.words(&lines.join("\n"));
            }
            TagEnd::Link => {
                let Some((target, start)) = self.links.pop() else {
                    return;
                };
                // A link whose words are its address needs no repetition.
                if !self.out[start..].contains(&target) {
                    self.out.push_str(&format!(" ({target})"));
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, words: &str) {
        self.gap();
        self.words(words);
    }

    fn words(&mut self, words: &str) {
        for (number, line) in words.split('\n').enumerate() {
            if number > 0 {
                self.new_line();
            }
            self.out.push_str(line);
        }
    }

    fn item(&mut self) {
        if !self.at_line_start() {
            self.new_line();
        }
        let depth = self.lists.len().saturating_sub(1);
        self.out.push_str(&"  ".repeat(depth));
        match self.lists.last_mut() {
            Some(Some(number)) => {
                self.out.push_str(&format!("{number}. "));
                *number += 1;
            }
            _ => self.out.push_str("- "),
        }
    }

    fn at_item_start(&self) -> bool {
        !self.lists.is_empty() && (self.out.ends_with("- ") || self.out.ends_with(". "))
    }

    fn new_line(&mut self) {
        if !self.out.is_empty() {
            self.out.push('\n');
            self.out.push_str(&"> ".repeat(self.quotes));
        }
    }

    /// Nothing but the marks of quotes stands in the last line.
    fn at_line_start(&self) -> bool {
        let last = self.out.rsplit('\n').next().unwrap_or_default();
        last.chars().all(|c| matches!(c, ' ' | '>'))
    }

    /// One empty line between blocks.
    fn gap(&mut self) {
        while self.at_line_start() && !self.out.is_empty() {
            self.out.truncate(self.out.rfind('\n').unwrap_or(0));
        }
        if !self.out.is_empty() {
            self.out.push('\n');
            self.new_line();
        } else if self.quotes > 0 {
            self.out.push_str(&"> ".repeat(self.quotes));
        }
    }
}
