//! Files ready to be served. A [`Resource`] has the bytes and all headers for each encoding. A
//! request selects an encoding by `Accept-Encoding`, and gets a 304 if the client has that body
//! already (RFC 9110, 13.1.2).
//!
//! A [`Template`] has placeholders, `{{name}}`, that a handler fills in. Values are escaped for
//! both HTML text and attributes, and inserted in one pass, so that a visitor's `{{…}}` stays plain
//! text. Building a template fails if its placeholders aren't the ones that its handler fills in.

use std::borrow::Cow;

use anyhow::Context as _;
use axum::body::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, VARY,
};
use http::{Method, StatusCode};
use http_body_util::Full;

use super::head_injection::HeadInjection;
use super::release::{Encoding, File, Kind};
use crate::html::escape;
use crate::http::edge::request_log::REQUEST_ID;
use crate::http::edge::response::{self, ExtraSources, HttpResponse};

/// Part of a tag that `web/src/lib/head.ts` writes.
const NOT_LISTED: &str = r#"name="robots" content="noindex""#;

pub struct Resource {
    /// The path from the release, never a visitor's text.
    pub path: String,
    pub kind: Kind,
    /// Search engines may list this page: it isn't the outcome of a form.
    pub listed: bool,
    status: StatusCode,
    /// Indexed by [`Encoding`].
    variants: [Option<Variant>; 3],
    /// Replaces the policy when the visitor uses TLS.
    tls_policy: Option<HeaderValue>,
}

struct Variant {
    bytes: Bytes,
    tag: String,
    headers: HeaderMap,
}

impl Resource {
    /// Fails if a value can't be a header.
    pub fn new(file: &File, head: &HeadInjection) -> anyhow::Result<Self> {
        let policy = |tls| {
            let policy = file.is_html().then(|| policy(file, &head.sources, tls));
            policy.transpose()
        };
        let mut base = base_headers(file, policy(false)?, &head.sources)?;
        let mut variants = [const { None }; 3];
        let bodies = head.bodies(file);
        if bodies.len() > 1 {
            base.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        for body in bodies {
            let tag = format!("\"{}\"", body.tag);
            let mut headers = base.clone();
            headers.insert(ETAG, tag.as_str().try_into()?);
            headers.insert(CONTENT_TYPE, file.content_type.as_str().try_into()?);
            headers.insert(CONTENT_LENGTH, body.bytes.len().into());
            if body.encoding != Encoding::Identity {
                let encoding = HeaderValue::from_static(body.encoding.name());
                headers.insert(CONTENT_ENCODING, encoding);
            }
            variants[body.encoding as usize] = Some(Variant {
                bytes: body.bytes,
                tag,
                headers,
            });
        }
        Ok(Self {
            path: file.path.clone(),
            kind: file.kind,
            listed: file.kind == Kind::Page && !file.text().contains(NOT_LISTED),
            status: StatusCode::from_u16(file.status)?,
            variants,
            tls_policy: policy(true)?,
        })
    }

    /// The uncompressed content.
    pub fn text(&self) -> Cow<'_, str> {
        let plain = self.variants[Encoding::Identity as usize].as_ref();
        String::from_utf8_lossy(plain.map_or(&[], |plain| &plain.bytes))
    }

    /// The page with other HTML, for one visitor: no cache may store it.
    pub fn answer_with(&self, status: StatusCode, tls: bool, html: String) -> HttpResponse {
        let mut answer = self.answer(&Method::HEAD, &HeaderMap::new(), tls);
        *answer.status_mut() = status;
        let headers = answer.headers_mut();
        headers.remove(ETAG);
        headers.remove(VARY);
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        headers.insert(CONTENT_LENGTH, html.len().into());
        *answer.body_mut() = Full::new(html.into());
        answer
    }

    pub fn answer(&self, method: &Method, request: &HeaderMap, tls: bool) -> HttpResponse {
        let accept = request.get(ACCEPT_ENCODING).map(HeaderValue::as_bytes);
        let accept = accept.unwrap_or_default();
        let stored = |encoding: Encoding| self.variants[encoding as usize].is_some();
        let variant = self.variants[choose(accept, stored) as usize].as_ref();
        let variant = variant.expect("identity is always stored, others are chosen when stored");
        let is_known = self.status == StatusCode::OK && has_tag(request, &variant.tag);
        let mut answer = HttpResponse::default();
        *answer.headers_mut() = variant.headers.clone();
        *answer.status_mut() = self.status;
        if is_known {
            *answer.status_mut() = StatusCode::NOT_MODIFIED;
            for name in [CONTENT_TYPE, CONTENT_LENGTH, CONTENT_ENCODING] {
                answer.headers_mut().remove(name);
            }
        } else if method != Method::HEAD {
            *answer.body_mut() = Full::new(variant.bytes.clone());
        }
        if let (true, Some(policy)) = (tls, &self.tls_policy) {
            let headers = answer.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
        }
        answer
    }
}

/// The smallest of the `stored` encodings that the client accepts. The uncompressed body is the
/// fallback even if the client excludes it: it is better than an error.
fn choose(accept: &[u8], stored: impl Fn(Encoding) -> bool) -> Encoding {
    let mut best_first = [Encoding::Brotli, Encoding::Gzip].into_iter();
    let best = best_first.find(|each| stored(*each) && accepts(accept, each.name()));
    best.unwrap_or(Encoding::Identity)
}

/// Whether this `Accept-Encoding` accepts a coding: it names the coding or `*`, with a weight that
/// isn't zero.
pub fn accepts(accept: &[u8], coding: &str) -> bool {
    let mut others = false;
    for entry in accept.split(|byte| *byte == b',') {
        let mut parts = entry.split(|byte| *byte == b';');
        let name = parts.next().unwrap_or_default().trim_ascii();
        let mut is_welcome = || {
            let weight = parts.next().and_then(|weight| str::from_utf8(weight).ok());
            let weight = weight.and_then(|weight| weight.split_once('='));
            weight.is_none_or(|(_, weight)| weight.trim().parse().is_ok_and(|weight| 0.0 < weight))
        };
        match name {
            name if name.eq_ignore_ascii_case(coding.as_bytes()) => return is_welcome(),
            b"*" => others = is_welcome(),
            _ => {}
        }
    }
    others
}

/// Whether `If-None-Match` contains this tag. The comparison is weak: a compressing proxy prefixes
/// our tags with `W/`.
pub fn has_tag(request: &HeaderMap, tag: &str) -> bool {
    let values = request.get_all(IF_NONE_MATCH).iter();
    let mut tags = values.flat_map(|value| value.to_str().unwrap_or_default().split(','));
    tags.any(|known| {
        let known = known.trim();
        known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag
    })
}

fn policy(file: &File, sources: &ExtraSources, tls: bool) -> anyhow::Result<HeaderValue> {
    let policy = response::page_policy(&file.script_hashes, &file.style_hashes, sources, tls);
    policy
        .try_into()
        .with_context(|| format!("{}: its policy", file.path))
}

/// The headers of every response, including a 304.
fn base_headers(
    file: &File,
    policy: Option<HeaderValue>,
    sources: &ExtraSources,
) -> anyhow::Result<HeaderMap> {
    let mut map = HeaderMap::new();
    let caching = match file.kind {
        Kind::Page | Kind::Template => "no-cache",
        Kind::Asset => "public, max-age=31536000, immutable",
        Kind::Document => "public, max-age=3600",
    };
    map.insert(CACHE_CONTROL, HeaderValue::from_static(caching));
    // Reserves room, so that the copy of the map needn't grow for each response.
    map.insert(REQUEST_ID, HeaderValue::from_static(""));
    match policy {
        Some(policy) => response::secure_page(&mut map, policy, sources),
        None => {
            if !file.style_hashes.is_empty() {
                let policy = response::picture_policy(&file.style_hashes).try_into()?;
                map.insert(CONTENT_SECURITY_POLICY, policy);
            }
            response::secure(&mut map);
        }
    }
    Ok(map)
}

pub type Placeholder = Cow<'static, str>;
pub type PlaceholderValue<'a> = (Placeholder, Cow<'a, str>);

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
    /// Fails if the page's placeholders aren't exactly these.
    pub fn new(
        file: &File,
        head: &HeadInjection,
        placeholders: &[Placeholder],
    ) -> anyhow::Result<Self> {
        let page = Resource::new(file, head)?;
        let html = Pieces::parse(&page.text());
        if let Err(problem) = html.check(placeholders) {
            anyhow::bail!("the template {} {problem}", file.path);
        }
        Ok(Self { html, page })
    }

    /// The page with these values filled in.
    pub fn answer(
        &self,
        status: StatusCode,
        tls: bool,
        values: &[PlaceholderValue<'_>],
    ) -> HttpResponse {
        self.page.answer_with(status, tls, self.html.fill(values))
    }
}

impl Pieces {
    fn parse(html: &str) -> Self {
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

    fn check(&self, filled_in: &[Placeholder]) -> Result<(), String> {
        let mut here = self.before.iter().map(|(_, name)| name);
        if let Some(name) = here.find(|name| !filled_in.iter().any(|filled| filled == *name)) {
            return Err(format!("has {{{{{name}}}}}, which is never filled in"));
        }
        let lacks = |name: &&Placeholder| !self.before.iter().any(|(_, here)| here == *name);
        match filled_in.iter().find(lacks) {
            Some(name) => Err(format!("lacks {{{{{name}}}}}")),
            None => Ok(()),
        }
    }

    fn fill(&self, values: &[PlaceholderValue<'_>]) -> String {
        let mut filled = String::with_capacity(self.rest.len() * 2);
        for (text, placeholder) in &self.before {
            filled.push_str(text);
            let found = values.iter().find(|(name, _)| name == placeholder);
            filled += &escape(found.map_or("", |(_, value)| value));
        }
        filled.push_str(&self.rest);
        filled
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_smallest_stored_encoding_that_the_client_accepts_is_chosen() {
        for (accept, expected) in [
            ("gzip, deflate, br, zstd", Encoding::Brotli),
            ("GZIP", Encoding::Gzip),
            ("*", Encoding::Brotli),
            ("br;q=0, *;q=0.1", Encoding::Gzip),
            ("*;q=0.5, gzip, br; q=0.0", Encoding::Gzip),
            ("br;q=0, gzip;q=0.000", Encoding::Identity),
            ("*;q=0", Encoding::Identity),
            ("deflate", Encoding::Identity),
            ("br;q=x", Encoding::Identity),
            ("", Encoding::Identity),
        ] {
            assert_eq!(choose(accept.as_bytes(), |_| true), expected, "{accept}");
        }
        let gzip_only = |encoding| encoding == Encoding::Gzip;
        assert_eq!(choose(b"br, gzip", gzip_only), Encoding::Gzip);
        assert_eq!(choose(b"br", gzip_only), Encoding::Identity);
    }

    fn fill(html: &str, values: &[(&'static str, &str)]) -> String {
        let values = values.iter();
        let values = values.map(|(name, value)| ((*name).into(), (*value).into()));
        Pieces::parse(html).fill(&values.collect::<Vec<_>>())
    }

    #[test]
    fn values_replace_their_placeholders_and_are_escaped() {
        let html = fill(
            "<p title=\"{{a}}\">{{ b }}</p>{{a}}|{{c}}",
            &[("a", "\"{{b}}\""), ("b", "<&'>")],
        );
        let expected = "<p title=\"&quot;{{b}}&quot;\">&lt;&amp;&#39;&gt;</p>&quot;{{b}}&quot;|";
        assert_eq!(html, expected);
        assert_eq!(fill("a {{ b", &[]), "a {{ b", "an unclosed one is text");
    }

    #[test]
    fn a_placeholder_without_a_value_and_a_value_without_a_placeholder_are_refused() {
        let check = |html| Pieces::parse(html).check(&["a".into(), "b".into()]);
        assert_eq!(check("{{a}} {{b}} {{a}}"), Ok(()));
        let problem = check("{{a}} {{c}} {{b}}").unwrap_err();
        assert_eq!(problem, "has {{c}}, which is never filled in");
        assert_eq!(check("{{a}}").unwrap_err(), "lacks {{b}}");
    }

    proptest! {
        #[test]
        fn no_value_can_open_a_tag_or_end_an_attribute(value in "\\PC{0,80}") {
            let html = fill("{{a}}", &[("a", &value)]);
            prop_assert!(!html.contains(['<', '>', '"', '\'']));
        }
    }
}
