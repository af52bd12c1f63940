//! Markdown as HTML for mail programs and as plain text for people.
//!
//! Raw HTML stands for itself, as text: a mail is no place for markup that
//! nobody has looked at. Paths of the site become whole addresses, and links
//! to anything but the web and mail lose their target.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::content::Site;

pub fn html(source: &str, site: &Site) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    html::push_html(&mut out, events(source, site));
    out
}

pub fn first_heading(source: &str) -> Option<String> {
    let mut heading: Option<String> = None;
    for event in Parser::new_ext(source, Options::ENABLE_STRIKETHROUGH) {
        match (event, &mut heading) {
            (
                Event::Start(Tag::Heading {
                    level: HeadingLevel::H1,
                    ..
                }),
                None,
            ) => {
                heading = Some(String::new());
            }
            (Event::End(TagEnd::Heading(_)), Some(_)) => return heading,
            (Event::Text(text) | Event::Code(text), Some(words)) => words.push_str(&text),
            (Event::SoftBreak | Event::HardBreak, Some(words)) => words.push(' '),
            _ => {}
        }
    }
    heading
}

fn events<'a>(source: &'a str, site: &'a Site) -> impl Iterator<Item = Event<'a>> {
    Parser::new_ext(source, Options::ENABLE_STRIKETHROUGH).map(move |event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(Tag::Link {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Link {
            link_type,
            dest_url: whole_address(dest_url, site),
            title,
            id,
        }),
        Event::Start(Tag::Image {
            link_type,
            dest_url,
            title,
            id,
        }) => Event::Start(Tag::Image {
            link_type,
            dest_url: whole_address(dest_url, site),
            title,
            id,
        }),
        other => other,
    })
}

fn whole_address<'a>(address: CowStr<'a>, site: &Site) -> CowStr<'a> {
    let known = ["https://", "http://", "mailto:", "tel:"];
    let lower = address.to_ascii_lowercase();
    if known.iter().any(|scheme| lower.starts_with(scheme)) {
        return address;
    }
    match address.starts_with('/') && !address.starts_with("//") {
        true => format!("{}{address}", site.url).into(),
        false => site.url.clone().into(),
    }
}

pub fn text(source: &str, site: &Site) -> String {
    let mut writer = TextWriter::default();
    events(source, site).for_each(|event| writer.write(event));
    writer.out.trim_end().to_owned() + "\n"
}

/// Writes plain text that reads like a mail somebody typed.
#[derive(Default)]
struct TextWriter {
    out: String,
    /// The next number of each open list; `None`: bullets.
    lists: Vec<Option<u64>>,
    quotes: usize,
    /// The targets of open links and where their words begin.
    links: Vec<(String, usize)>,
}

impl TextWriter {
    fn write(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) | Event::Code(text) => self.words(&text),
            Event::SoftBreak => self.out.push(' '),
            Event::HardBreak => self.new_line(),
            Event::Rule => self.block("* * *"),
            _ => {}
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
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
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.out.len()));
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::BlockQuote(_) => self.quotes = self.quotes.saturating_sub(1),
            TagEnd::List(_) => {
                self.lists.pop();
            }
            TagEnd::Link | TagEnd::Image => {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::content::SITE;

    const SOURCE: &str = "# Hello\n\nFirst *line*\nand [our blog](/blog) or <https://a.example>.\n\n\
        1. one\n2. two\n   - inner\n\n> quoted\n>\n> - a ->\n\n---\n\nLast ![alt](/x.png).";

    #[test]
    fn plain_text_reads_like_typed() {
        let expected = format!(
            "Hello\n\nFirst line and our blog ({url}/blog) or https://a.example.\n\n\
            1. one\n2. two\n  - inner\n\n> quoted\n\n> - a ->\n\n* * *\n\nLast alt ({url}/x.png).\n",
            url = SITE.url
        );
        assert_eq!(text(SOURCE, &SITE), expected);
    }

    #[test]
    fn html_has_whole_addresses() {
        let html = html(SOURCE, &SITE);
        assert!(html.contains(&format!("<a href=\"{}/blog\">our blog</a>", SITE.url)));
        assert!(html.contains("<em>line</em>") && html.contains("<ol>"));
    }

    #[test]
    fn markup_and_dangerous_links_lose_their_power() {
        let source = "<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b onclick=\"x\">y</b>\
            [z](//evil.example/a)";
        let html = html(source, &SITE);
        assert!(!html.contains("<script") && !html.contains("<b "), "{html}");
        assert!(
            !html.contains("javascript:") && !html.contains("\"//evil"),
            "{html}"
        );
        assert!(html.contains("&lt;script&gt;"));
    }

    proptest! {
        #[test]
        fn any_source_is_rendered_without_a_panic(source in "[\\PC\n]{0,300}") {
            let _ = (html(&source, &SITE), text(&source, &SITE), first_heading(&source));
        }

        #[test]
        fn no_source_brings_in_a_script(source in "[<>a-z/ =\"'\n!-]{0,120}") {
            let html = html(&source, &SITE);
            prop_assert!(!html.contains("<script") && !html.contains("<iframe"));
        }
    }
}
