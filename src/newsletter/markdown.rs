//! Markdown as HTML for mail programs and as plain text for people.
//!
//! Raw HTML stands for itself, as text: a mail is no place for markup that
//! nobody has looked at. Paths of the site become whole addresses, and links
//! to anything but the web and mail lose their target.

use pulldown_cmark::{CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

use super::album::{Album, PictureError, Shown};
use super::html_table::HtmlTables;
use super::plain_text::TextWriter;
use crate::content::Site;
use crate::html::escape;

/// What a link may lead to beside the site's own pages.
const SCHEMES: [&str; 4] = ["https://", "http://", "mailto:", "tel:"];

/// So that a program that shows no pictures shows their words as words.
const PICTURE: &str = "max-width:100%;height:auto;border:0;font-style:italic";

/// What was read, once for both ways of showing it.
pub struct Document<'a> {
    pieces: Vec<Piece<'a>>,
}

enum Piece<'a> {
    Markup(Event<'a>),
    Picture { shown: Shown, words: String },
}

impl<'a> Document<'a> {
    pub fn read(source: &'a str, site: &Site, album: &mut Album<'_>) -> Result<Self, PictureError> {
        let mut pieces = Vec::new();
        let mut events = parse(source);
        while let Some(event) = events.next() {
            pieces.push(match event {
                Event::Html(raw) | Event::InlineHtml(raw) => Piece::Markup(Event::Text(raw)),
                Event::Start(Tag::Image { dest_url, .. }) => {
                    let words = words_of_picture(&mut events);
                    let shown = album.take_in(&dest_url, &words)?;
                    Piece::Picture { shown, words }
                }
                Event::Start(mut tag) => {
                    if let Tag::Link { dest_url, .. } = &mut tag {
                        make_whole(dest_url, site);
                    }
                    Piece::Markup(Event::Start(tag))
                }
                other => Piece::Markup(other),
            });
        }
        Ok(Self { pieces })
    }

    /// A post has its title elsewhere, and a page of its own.
    pub fn frame_post(&mut self, title: &str, page: String, site: &Site) {
        let heading = Tag::Heading {
            level: HeadingLevel::H1,
            id: None,
            classes: Vec::new(),
            attrs: Vec::new(),
        };
        let title = [
            Event::Start(heading),
            Event::Text(title.to_owned().into()),
            Event::End(TagEnd::Heading(HeadingLevel::H1)),
        ];
        let link = Tag::Link {
            link_type: LinkType::Inline,
            dest_url: page.into(),
            title: "".into(),
            id: "".into(),
        };
        let end = [
            Event::Start(Tag::Paragraph),
            Event::Start(link),
            Event::Text(format!("Read it on the site of {}", site.name).into()),
            Event::End(TagEnd::Link),
            Event::End(TagEnd::Paragraph),
        ];
        self.pieces.splice(0..0, title.map(Piece::Markup));
        self.pieces.extend(end.map(Piece::Markup));
    }

    pub fn html(&self) -> String {
        let mut tables = HtmlTables::default();
        let events = self.pieces.iter().map(|piece| match piece {
            Piece::Markup(event) => tables.style(event.clone()),
            Piece::Picture { shown, words } => Event::InlineHtml(tag(shown, words).into()),
        });
        let mut out = String::new();
        html::push_html(&mut out, events);
        out
    }

    pub fn text(&self) -> String {
        let mut writer = TextWriter::default();
        for piece in &self.pieces {
            match piece {
                Piece::Markup(event) => writer.write(event.clone()),
                Piece::Picture { shown, words } => {
                    let words = match shown.address.strip_prefix("cid:") {
                        Some(_) => format!("[Picture: {words}]"),
                        None => format!("{words} ({})", shown.address),
                    };
                    writer.write(Event::Text(words.into()));
                }
            }
        }
        writer.finish()
    }
}

pub fn first_heading(source: &str) -> Option<String> {
    let mut events = parse(source).skip_while(|event| !begins_title(event));
    events.next()?;
    let words = events.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    Some(words.map(words_of).collect())
}

fn words_of(event: Event<'_>) -> String {
    match event {
        Event::Text(text) | Event::Code(text) => text.into_string(),
        Event::SoftBreak | Event::HardBreak => " ".into(),
        _ => String::new(),
    }
}

/// Up to the end of the picture; pictures within its words have only words.
fn words_of_picture<'a>(events: &mut impl Iterator<Item = Event<'a>>) -> String {
    let (mut words, mut depth) = (String::new(), 1);
    for event in events {
        match event {
            Event::Start(Tag::Image { .. }) => depth += 1,
            Event::End(TagEnd::Image) => depth -= 1,
            other => words += &words_of(other),
        }
        if depth == 0 {
            break;
        }
    }
    words
}

fn tag(shown: &Shown, words: &str) -> String {
    let Shown { address, width } = shown;
    let (address, words) = (safe(address), safe(words));
    format!("<img src=\"{address}\" alt=\"{words}\" width=\"{width}\" style=\"{PICTURE}\">")
}

fn safe(text: &str) -> String {
    let mut safe = String::new();
    escape(text, &mut safe);
    safe
}

fn begins_title(event: &Event<'_>) -> bool {
    let Event::Start(Tag::Heading { level, .. }) = event else {
        return false;
    };
    *level == HeadingLevel::H1
}

fn parse(source: &str) -> Parser<'_> {
    Parser::new_ext(
        source,
        Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TABLES,
    )
}

fn make_whole(address: &mut CowStr<'_>, site: &Site) {
    let lower = address.to_ascii_lowercase();
    if SCHEMES.iter().any(|scheme| lower.starts_with(scheme)) {
        return;
    }
    *address = match address.starts_with('/') && !address.starts_with("//") {
        true => format!("{}{address}", site.url).into(),
        false => site.url.clone().into(),
    };
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::content::SITE;

    const SOURCE: &str = "# Hello\n\nFirst *line*\nand [our blog](/blog) or <https://a.example>.\n\n\
        1. one\n2. two\n   - inner\n\n> quoted\n>\n> - a ->\n\n---\n\nLast ![alt](/x.png).";

    const TABLE: &str =
        "| Plan | Days |\n|:-----|-----:|\n| Chat *bot* | 3 |\n| [Site](/services) | 14 |\n";

    fn read(source: &str) -> Document<'_> {
        Document::read(source, &SITE, &mut Album::new(None, &SITE)).unwrap()
    }

    #[test]
    fn plain_text_reads_like_typed() {
        let expected = format!(
            "Hello\n\nFirst line and our blog ({url}/blog) or https://a.example.\n\n\
            1. one\n2. two\n  - inner\n\n> quoted\n\n> - a ->\n\n* * *\n\nLast alt ({url}/x.png).\n",
            url = SITE.url
        );
        assert_eq!(read(SOURCE).text(), expected);
    }

    #[test]
    fn html_has_whole_addresses() {
        let html = read(SOURCE).html();
        assert!(html.contains(&format!("<a href=\"{}/blog\">our blog</a>", SITE.url)));
        assert!(html.contains("<em>line</em>") && html.contains("<ol>"));
        let picture = format!("<img src=\"{}/x.png\" alt=\"alt\" width=\"512\"", SITE.url);
        assert!(html.contains(&picture), "{html}");
    }

    #[test]
    fn a_table_is_one_with_room_around_its_words() {
        let html = read(TABLE).html();
        assert!(html.contains("<th style=\"padding:8px 12px"), "{html}");
        assert!(html.contains("text-align:right\">14</td>"), "{html}");
        assert!(html.contains("Chat <em>bot</em></td>"), "{html}");
        assert_eq!(html.matches("<tr>").count(), 3);
        assert!(html.contains("</tbody></table></div>"), "{html}");
    }

    #[test]
    fn a_table_as_plain_text_is_aligned_if_it_fits_and_told_row_by_row_if_not() {
        let narrow = "| Plan | Days |\n|:--|--:|\n| Chat *bot* | 3 |\n| Site | 14 |\n\nEnd";
        assert_eq!(
            read(narrow).text(),
            "Plan      Days\n--------  ----\nChat bot     3\nSite        14\n\nEnd\n"
        );
        let long = "x".repeat(50);
        let wide = format!("> | A | B |\n> |---|---|\n> | {long} | {long} |\n> | 1 | |\n");
        assert_eq!(
            read(&wide).text(),
            format!("> A: {long}\n> B: {long}\n> \n> A: 1\n")
        );
    }

    #[test]
    fn markup_and_dangerous_links_lose_their_power() {
        let source = "<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b onclick=\"x\">y</b>\
            [z](//evil.example/a)\n\n![\"><script>](/x.png)";
        let html = read(source).html();
        assert!(!html.contains("<script") && !html.contains("<b "), "{html}");
        assert!(
            !html.contains("javascript:") && !html.contains("\"//evil"),
            "{html}"
        );
        assert!(html.contains("&lt;script&gt;"));
    }

    proptest! {
        #[test]
        fn any_source_is_rendered_without_a_panic(source in "([\\PC\n]|\n\\| a \\| b \\|\n\\|---\\|---\\|\n){0,300}") {
            let mut album = Album::new(None, &SITE);
            if let Ok(document) = Document::read(&source, &SITE, &mut album) {
                let _ = (document.html(), document.text());
            }
            let _ = first_heading(&source);
        }

        #[test]
        fn no_source_brings_in_a_script(source in "[<>a-z/ =\"'|\n!-]{0,120}") {
            let html = read(&source).html();
            prop_assert!(!html.contains("<script") && !html.contains("<iframe"));
        }
    }
}
