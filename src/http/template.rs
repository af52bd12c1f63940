//! A page of the build with places for a handler's words: `{{name}}`.
//!
//! Words are escaped for HTML text and attribute values alike, and are put in
//! in one pass, so that a visitor's `{{…}}` stays what it is: text.

use std::fmt::Write as _;

use axum::body::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, ETAG, HeaderMap, HeaderValue, VARY};
use http::{Method, StatusCode};

use super::body::{self, Answer};
use super::embedded::EmbeddedFile;
use super::resource::Resource;
use super::shell::Shell;

pub struct Template {
    html: String,
    page: Resource,
}

impl Template {
    pub fn new(file: &EmbeddedFile, shell: &Shell) -> Self {
        let (_, html, _) = shell.bodies(file).swap_remove(0);
        Self {
            html: String::from_utf8_lossy(&html).into_owned(),
            page: Resource::new(file, shell),
        }
    }

    /// The page with these words in their places. It is about one visitor's
    /// words: nobody may keep it.
    pub fn answer(&self, status: StatusCode, tls: bool, words: &[(&str, &str)]) -> Answer {
        let html = fill(&self.html, words);
        let mut answer = self.page.answer(&Method::HEAD, &HeaderMap::new(), tls);
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.remove(ETAG);
        headers.remove(VARY);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(CONTENT_LENGTH, html.len().into());
        *answer.body_mut() = body::bytes(Bytes::from(html));
        answer
    }
}

/// What a field's `aria-invalid` and `aria-describedby` say; `status` is the
/// element that tells what is wrong.
pub fn mark(is_wrong: bool, status: &'static str) -> (&'static str, &'static str) {
    match is_wrong {
        true => ("true", status),
        false => ("false", ""),
    }
}

/// A place without words becomes empty.
fn fill(html: &str, words: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(html.len() + 256);
    let mut rest = html;
    while let Some((before, after)) = rest.split_once("{{") {
        filled.push_str(before);
        let Some((name, after)) = after.split_once("}}") else {
            filled.push_str("{{");
            rest = after;
            continue;
        };
        let word = words.iter().find(|(known, _)| *known == name.trim());
        escape(word.map_or("", |(_, word)| word), &mut filled);
        rest = after;
    }
    filled.push_str(rest);
    filled
}

pub fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // A reader of HTML turns a bare CR into LF; a reference keeps it.
            '\r' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn words_are_put_in_their_places_and_escaped() {
        let html = fill(
            "<p title=\"{{a}}\">{{ b }}{{c}}</p>",
            &[("a", "\"x\""), ("b", "<&'>")],
        );
        assert_eq!(html, "<p title=\"&quot;x&quot;\">&lt;&amp;&#39;&gt;</p>");
    }

    #[test]
    fn a_place_written_by_a_visitor_stays_text() {
        let html = fill("{{a}}|{{b}}", &[("a", "{{b}}"), ("b", "secret")]);
        assert_eq!(html, "{{b}}|secret");
    }

    #[test]
    fn an_unclosed_place_is_left_alone() {
        assert_eq!(fill("a {{ b", &[]), "a {{ b");
    }

    proptest! {
        #[test]
        fn no_words_can_open_a_tag_or_end_an_attribute(words in "\\PC{0,80}") {
            let html = fill("{{a}}", &[("a", &words)]);
            prop_assert!(!html.contains(['<', '>', '"', '\'']));
        }
    }
}
