//! Tables for mail programs: each cell carries its own look, because many
//! programs throw away what stands in a head.

use pulldown_cmark::{Alignment, Event, Tag, TagEnd};

const CELL: &str = "padding:8px 12px 8px 0;border-bottom:1px solid #dddbe6;vertical-align:top";

#[derive(Default)]
pub struct HtmlTables {
    columns: Vec<Alignment>,
    column: usize,
    in_head: bool,
}

impl HtmlTables {
    /// What is part of a table as HTML of our own; the rest as it is.
    pub fn style<'a>(&mut self, event: Event<'a>) -> Event<'a> {
        let html = match &event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            _ => None,
        };
        html.map_or(event, |html| Event::Html(html.into()))
    }

    fn open(&mut self, tag: &Tag<'_>) -> Option<String> {
        Some(match tag {
            Tag::Table(columns) => {
                self.columns.clone_from(columns);
                "<div style=\"overflow-x:auto\"><table style=\"border-collapse:collapse;\
                    margin:16px 0;font-size:15px;line-height:1.4\">\n"
                    .into()
            }
            Tag::TableHead => {
                self.in_head = true;
                self.column = 0;
                "<thead><tr>".into()
            }
            Tag::TableRow => {
                self.column = 0;
                "<tr>".into()
            }
            Tag::TableCell => self.cell(),
            _ => return None,
        })
    }

    fn cell(&mut self) -> String {
        let side = match self.columns.get(self.column) {
            Some(Alignment::Right) => "right",
            Some(Alignment::Center) => "center",
            _ => "left",
        };
        self.column += 1;
        let name = self.name();
        format!("<{name} style=\"{CELL};text-align:{side}\">")
    }

    fn name(&self) -> &'static str {
        if self.in_head { "th" } else { "td" }
    }

    fn close(&mut self, tag: &TagEnd) -> Option<String> {
        Some(match tag {
            TagEnd::Table => "</tbody></table></div>\n".into(),
            TagEnd::TableHead => {
                self.in_head = false;
                "</tr></thead><tbody>\n".into()
            }
            TagEnd::TableRow => "</tr>\n".into(),
            TagEnd::TableCell => format!("</{}>", self.name()),
            _ => return None,
        })
    }
}
