//! Renders Markdown as HTML for mail programs and as plain text.
//!
//! Raw HTML is shown as text, because unreviewed markup doesn't belong in a mail. Paths on the site
//! become absolute URLs, and links to anything but web pages, mail addresses and phone numbers lose
//! their target.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::pictures::{EmbeddedPictures, PictureError, PictureSource};
use crate::content::Site;
use crate::html::escape;

/// Allowed link targets besides the site's own pages.
const SCHEMES: [&str; 4] = ["https://", "http://", "mailto:", "tel:"];

/// Mail programs that block pictures show their descriptions, which italics set off from the text.
const PICTURE: &str = "max-width:100%;height:auto;border:0;font-style:italic";

/// Many mail programs drop the head, so each cell has an inline style.
const CELL: &str = "padding:8px 12px 8px 0;border-bottom:1px solid #dddbe6;vertical-align:top";
const TABLE: &str = "border-collapse:collapse;margin:16px 0;font-size:15px;line-height:1.4";

/// Both formats of an issue's content.
pub struct Rendered {
    pub text: String,
    pub html: String,
}

pub fn render(
    source: &str,
    site: &Site,
    pictures: &mut EmbeddedPictures<'_>,
) -> Result<Rendered, PictureError> {
    let (mut text, mut markup) = (TextWriter::default(), Vec::new());
    let mut events = parse(source);
    while let Some(mut event) = events.next() {
        if let Event::Start(Tag::Image { dest_url, .. }) = &event {
            let description = picture_description(&mut events);
            let source = pictures.embed(dest_url, &description)?;
            text.push(&if source.address.starts_with("cid:") {
                format!("[Picture: {description}]")
            } else {
                format!("{description} ({})", source.address)
            });
            markup.push(Event::InlineHtml(img(&source, &description).into()));
            continue;
        }
        if let Event::Start(Tag::Link { dest_url, .. }) = &mut event {
            make_absolute(dest_url, site);
        }
        if let Event::Html(raw) | Event::InlineHtml(raw) = event {
            event = Event::Text(raw);
        }
        text.write(&event);
        markup.push(event);
    }
    let mut html = String::new();
    html::push_html(&mut html, markup.into_iter());
    Ok(Rendered {
        text: text.finish(),
        html: style_tables(html),
    })
}

pub fn first_heading(source: &str) -> Option<String> {
    let mut events = parse(source).skip_while(|event| !begins_title(event));
    events.next()?;
    let words = events.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    Some(words.map(text_of).collect())
}

fn begins_title(event: &Event<'_>) -> bool {
    use HeadingLevel::H1;
    matches!(event, Event::Start(Tag::Heading { level: H1, .. }))
}

fn text_of(event: Event<'_>) -> String {
    match event {
        Event::Text(text) | Event::Code(text) => text.into_string(),
        Event::SoftBreak | Event::HardBreak => " ".into(),
        _ => String::new(),
    }
}

/// Reads up to the end of the picture; nested pictures contribute only their text.
fn picture_description<'a>(events: &mut impl Iterator<Item = Event<'a>>) -> String {
    let (mut text, mut depth) = (String::new(), 1);
    for event in events {
        match event {
            Event::Start(Tag::Image { .. }) => depth += 1,
            Event::End(TagEnd::Image) => depth -= 1,
            other => text += &text_of(other),
        }
        if depth == 0 {
            break;
        }
    }
    text
}

fn img(source: &PictureSource, description: &str) -> String {
    let (address, description, width) =
        (escape(&source.address), escape(description), source.width);
    format!("<img src=\"{address}\" alt=\"{description}\" width=\"{width}\" style=\"{PICTURE}\">")
}

/// Text is escaped, so all tags in `html` come from the renderer.
fn style_tables(html: String) -> String {
    if !html.contains("<table>") {
        return html;
    }
    let table = format!("<div style=\"overflow-x:auto\"><table style=\"{TABLE}\">");
    let mut html = html
        .replace("<table>", &table)
        .replace("</table>", "</table></div>");
    for cell in ["th", "td"] {
        html = html
            .replace(
                &format!("<{cell}>"),
                &format!("<{cell} style=\"text-align: left\">"),
            )
            .replace(
                &format!("<{cell} style=\""),
                &format!("<{cell} style=\"{CELL};"),
            );
    }
    html
}

fn parse(source: &str) -> Parser<'_> {
    Parser::new_ext(
        source,
        Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES,
    )
}

fn make_absolute(address: &mut CowStr<'_>, site: &Site) {
    let lower = address.to_ascii_lowercase();
    if SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) {
        return;
    }
    *address = if address.starts_with('/') && !address.starts_with("//") {
        format!("{}{address}", site.url).into()
    } else {
        site.url.clone().into()
    };
}

/// Writes plain text that reads like a typed mail.
#[derive(Default)]
struct TextWriter {
    out: String,
    /// The next number of each open list; `None` for bullets.
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// The targets of open links and where their text starts.
    links: Vec<(String, usize)>,
    /// The next table cell is the first of its row.
    is_first_cell: bool,
}

impl TextWriter {
    fn finish(self) -> String {
        self.out.trim_end().to_owned() + "\n"
    }

    fn write(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Code(text) => self.push(text),
            Event::SoftBreak => self.out.push(' '),
            Event::HardBreak => self.new_line(),
            Event::Rule => {
                self.gap();
                self.push("* * *");
            }
            _ => {}
        }
    }

    fn start(&mut self, tag: &Tag<'_>) {
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
                self.lists.push(*start);
            }
            Tag::Item => self.item(),
            Tag::Link { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.out.len()));
            }
            Tag::Table(_) => self.gap(),
            Tag::TableHead | Tag::TableRow => {
                if !self.at_line_start() {
                    self.new_line();
                }
                self.is_first_cell = true;
            }
            Tag::TableCell => {
                let is_first = std::mem::take(&mut self.is_first_cell);
                self.out.push_str(if is_first { "" } else { " | " });
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: &TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Link => {
                let Some((target, start)) = self.links.pop() else {
                    return;
                };
                // A link whose text is its URL needs no repetition.
                if !self.out[start..].contains(&target) {
                    self.out.push_str(&format!(" ({target})"));
                }
            }
            _ => {}
        }
    }

    fn push(&mut self, text: &str) {
        for (number, line) in text.split('\n').enumerate() {
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

    /// Whether the last line contains nothing but quote marks.
    fn at_line_start(&self) -> bool {
        let last = self.out.rsplit('\n').next().unwrap_or_default();
        last.chars().all(|c| matches!(c, ' ' | '>'))
    }

    /// Leaves one empty line between blocks.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::content::site;

    const SOURCE: &str = "# Hello\n\nFirst *line*\nand [our blog](/blog) or <https://a.example>.\n\n\
        1. one\n2. two\n   - inner\n\n> quoted\n>\n> - a ->\n\n---\n\nLast ![alt](/x.png).";

    const PLANS: &str =
        "| Plan | Days |\n|:-----|-----:|\n| Chat *bot* | 3 |\n| [Site](/services) | 14 |\n";

    fn rendered(source: &str) -> Rendered {
        render(source, site(), &mut EmbeddedPictures::new(None, site())).unwrap()
    }

    #[test]
    fn plain_text_reads_like_typed_and_html_has_whole_addresses() {
        let expected = format!(
            "Hello\n\nFirst line and our blog ({url}/blog) or https://a.example.\n\n\
            1. one\n2. two\n  - inner\n\n> quoted\n\n> - a ->\n\n* * *\n\nLast alt ({url}/x.png).\n",
            url = site().url
        );
        let Rendered { text, html } = rendered(SOURCE);
        assert_eq!(text, expected);
        assert!(html.contains(&format!("<a href=\"{}/blog\">our blog</a>", site().url)));
        assert!(html.contains("<em>line</em>") && html.contains("<ol>"));
        let picture = format!(
            "<img src=\"{}/x.png\" alt=\"alt\" width=\"512\"",
            site().url
        );
        assert!(html.contains(&picture), "{html}");
    }

    #[test]
    fn a_table_has_room_around_its_words_and_a_line_for_each_row_in_plain_text() {
        let html = rendered(PLANS).html;
        assert!(html.contains("<th style=\"padding:8px 12px"), "{html}");
        assert!(html.contains("text-align: right\">14</td>"), "{html}");
        assert!(html.contains("Chat <em>bot</em></td>"), "{html}");
        assert!(html.contains("</tbody></table></div>"), "{html}");
        let quoted = "> | A | B |\n> |---|---|\n> | *x* | y |\n> | | 1 |\n\nEnd";
        assert_eq!(rendered(quoted).text, "> A | B\n> x | y\n>  | 1\n\nEnd\n");
    }

    #[test]
    fn markup_and_dangerous_links_lose_their_power() {
        let source = "<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b onclick=\"x\">y</b>\
            [z](//evil.example/a)\n\n![\"><script>](/x.png)";
        let html = rendered(source).html;
        for powerful in ["<script", "<b ", "javascript:", "\"//evil"] {
            assert!(!html.contains(powerful), "{html}");
        }
        assert!(html.contains("&lt;script&gt;"));
    }

    proptest! {
        #[test]
        fn any_source_is_rendered_without_a_panic(source in "([\\PC\n]|\n\\| a \\| b \\|\n\\|---\\|---\\|\n){0,300}") {
            let mut pictures = EmbeddedPictures::new(None, site());
            let _ = render(&source, site(), &mut pictures);
            let _ = first_heading(&source);
        }
    }
}
