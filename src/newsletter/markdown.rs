//! Markdown as HTML for mail programs and as plain text for people.
//!
//! Raw HTML stands for itself, as text: a mail is no place for markup that
//! nobody has looked at. Paths of the site become whole addresses, and links
//! to anything but the web and mail lose their target.

use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use super::plain_text::TextWriter;
use crate::content::Site;

/// What a link may lead to beside the site's own pages.
const SCHEMES: [&str; 4] = ["https://", "http://", "mailto:", "tel:"];

pub fn html(source: &str, site: &Site) -> String {
    let mut out = String::with_capacity(source.len() * 2);
    html::push_html(&mut out, events(source, site));
    out
}

pub fn text(source: &str, site: &Site) -> String {
    let mut writer = TextWriter::default();
    events(source, site).for_each(|event| writer.write(event));
    writer.finish()
}

pub fn first_heading(source: &str) -> Option<String> {
    let mut events = parse(source).skip_while(|event| !begins_title(event));
    events.next()?;
    let words = events.take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
    let words = words.map(|event| match event {
        Event::Text(text) | Event::Code(text) => text.into_string(),
        Event::SoftBreak | Event::HardBreak => " ".into(),
        _ => String::new(),
    });
    Some(words.collect())
}

fn begins_title(event: &Event<'_>) -> bool {
    let Event::Start(Tag::Heading { level, .. }) = event else {
        return false;
    };
    *level == HeadingLevel::H1
}

fn parse(source: &str) -> Parser<'_> {
    Parser::new_ext(source, Options::ENABLE_STRIKETHROUGH)
}

fn events<'a>(source: &'a str, site: &'a Site) -> impl Iterator<Item = Event<'a>> {
    parse(source).map(move |event| match event {
        Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
        Event::Start(mut tag) => {
            if let Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } = &mut tag {
                make_whole(dest_url, site);
            }
            Event::Start(tag)
        }
        other => other,
    })
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
