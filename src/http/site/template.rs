//! A built page with placeholders, `{{name}}`, that a handler fills in.
//!
//! Words are escaped for both HTML text and attribute values and inserted in one pass, so that a
//! visitor's `{{…}}` stays plain text. A template whose placeholders differ from the words it will
//! get is rejected when it is built.

use std::borrow::Cow;

use http::header::{CACHE_CONTROL, CONTENT_LENGTH, ETAG, HeaderMap, HeaderValue, VARY};
use http::{Method, StatusCode};
use http_body_util::Full;

use super::head_injection::HeadInjection;
use super::release::File;
use super::resource::Resource;
use crate::html::escape;
use crate::http::edge::response::Answer;

pub type PlaceholderName = Cow<'static, str>;

/// The name of a placeholder and the word for it.
pub type Word<'a> = (PlaceholderName, Cow<'a, str>);

pub struct Template {
    html: Pieces,
    page: Resource,
}

/// HTML split at its placeholders.
struct Pieces {
    /// Text, and the name of the placeholder after it.
    before: Vec<(String, String)>,
    rest: String,
}

impl Template {
    /// Fails if the page's placeholders aren't exactly `names`.
    pub fn new(
        file: &File,
        head: &HeadInjection,
        names: &[PlaceholderName],
    ) -> anyhow::Result<Self> {
        let page = Resource::new(file, head)?;
        let html = Pieces::of(&page.text());
        if let Err(problem) = html.fit(names) {
            anyhow::bail!("the template {}: {problem}", file.path);
        }
        Ok(Self { html, page })
    }

    /// The page with these words filled in. It contains a visitor's input, so no cache may store
    /// it.
    pub fn answer(&self, status: StatusCode, tls: bool, words: &[Word<'_>]) -> Answer {
        let html = self.html.fill(words);
        let mut answer = self.page.answer(&Method::HEAD, &HeaderMap::new(), tls);
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.remove(ETAG);
        headers.remove(VARY);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(CONTENT_LENGTH, html.len().into());
        *answer.body_mut() = Full::new(html.into());
        answer
    }
}

impl Pieces {
    fn of(html: &str) -> Self {
        let (mut before, mut rest) = (Vec::new(), html);
        while let Some((text, after)) = rest.split_once("{{") {
            let Some((name, after)) = after.split_once("}}") else {
                break;
            };
            before.push((text.to_owned(), name.trim().to_owned()));
            rest = after;
        }
        Self {
            before,
            rest: rest.to_owned(),
        }
    }

    fn fit(&self, names: &[PlaceholderName]) -> Result<(), String> {
        let mut places = self.before.iter().map(|(_, place)| place);
        if let Some(place) = places.find(|place| !names.iter().any(|name| name == *place)) {
            return Err(format!("nothing is put in the place {place:?}"));
        }
        let has_place =
            |name: &&PlaceholderName| self.before.iter().any(|(_, place)| place == *name);
        match names.iter().find(|name| !has_place(name)) {
            Some(name) => Err(format!("there is no place for {name:?}")),
            None => Ok(()),
        }
    }

    fn fill(&self, words: &[Word<'_>]) -> String {
        let mut filled = String::with_capacity(self.rest.len() * 2);
        for (text, place) in &self.before {
            filled.push_str(text);
            let found = words.iter().find(|(name, _)| name == place);
            escape(found.map_or("", |(_, word)| word), &mut filled);
        }
        filled.push_str(&self.rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fill(html: &str, words: &[(&'static str, &str)]) -> String {
        let words = words.iter();
        let words = words.map(|(name, word)| ((*name).into(), (*word).into()));
        Pieces::of(html).fill(&words.collect::<Vec<_>>())
    }

    #[test]
    fn words_are_put_in_their_places_and_escaped() {
        let html = fill(
            "<p title=\"{{a}}\">{{ b }}</p>{{a}}|{{c}}",
            &[("a", "\"{{b}}\""), ("b", "<&'>")],
        );
        let expected = "<p title=\"&quot;{{b}}&quot;\">&lt;&amp;&#39;&gt;</p>&quot;{{b}}&quot;|";
        assert_eq!(html, expected);
        assert_eq!(fill("a {{ b", &[]), "a {{ b", "an unclosed place is text");
    }

    #[test]
    fn a_place_without_words_and_words_without_a_place_are_refused() {
        let fit = |html| Pieces::of(html).fit(&["a".into(), "b".into()]);
        assert_eq!(fit("{{a}} {{b}} {{a}}"), Ok(()));
        let problem = fit("{{a}} {{c}} {{b}}").unwrap_err();
        assert_eq!(problem, "nothing is put in the place \"c\"");
        let problem = fit("{{a}}").unwrap_err();
        assert_eq!(problem, "there is no place for \"b\"");
    }

    proptest! {
        #[test]
        fn no_words_can_open_a_tag_or_end_an_attribute(words in "\\PC{0,80}") {
            let html = fill("{{a}}", &[("a", &words)]);
            prop_assert!(!html.contains(['<', '>', '"', '\'']));
        }
    }
}
