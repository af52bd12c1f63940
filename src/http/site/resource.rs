//! A file ready to be served: the bytes and all headers for each encoding. A request selects one by
//! `Accept-Encoding` (RFC 9110, 12.5.3), or gets a 304 if it has it already (13.1.2).

use anyhow::Context as _;
use axum::body::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, VARY,
};
use http::{Method, StatusCode};

use super::head_injection::HeadInjection;
use super::release::{Encoding, File, Kind};
use crate::http::edge::request_log::REQUEST_ID;
use crate::http::edge::response::{self, Answer, ExtraSources};

pub struct Resource {
    /// Fixed by the release, never a visitor's text.
    pub path: String,
    pub kind: Kind,
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
    /// The headers of a 304.
    headers_without_body: HeaderMap,
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
            let headers_without_body = headers.clone();
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
                headers_without_body,
            });
        }
        Ok(Self {
            path: file.path.clone(),
            kind: file.kind,
            status: StatusCode::from_u16(file.status)?,
            variants,
            tls_policy: policy(true)?,
        })
    }

    /// The answer to a GET or HEAD.
    pub fn answer(&self, method: &Method, request: &HeaderMap, tls: bool) -> Answer {
        let accept = request.get(ACCEPT_ENCODING);
        let accept = accept.and_then(|value| value.to_str().ok());
        let stored = |encoding: Encoding| self.variants[encoding as usize].is_some();
        let variant = self.variants[choose(accept, stored) as usize].as_ref();
        let variant = variant.expect("identity is always stored, others are chosen when stored");
        let is_known = self.status == StatusCode::OK && has_tag(request, &variant.tag);
        let (status, headers) = match is_known {
            true => (StatusCode::NOT_MODIFIED, &variant.headers_without_body),
            false => (self.status, &variant.headers),
        };
        let mut answer = match is_known || method == Method::HEAD {
            true => response::bare(status),
            false => Answer::new(response::body(variant.bytes.clone())),
        };
        *answer.status_mut() = status;
        *answer.headers_mut() = headers.clone();
        if let (true, Some(policy)) = (tls, &self.tls_policy) {
            let headers = answer.headers_mut();
            headers.insert(CONTENT_SECURITY_POLICY, policy.clone());
        }
        answer
    }
}

/// The best encoding among those `stored`. Identity is the fallback even if the client excludes it:
/// an uncompressed page is better than an error.
fn choose(accept: Option<&str>, stored: impl Fn(Encoding) -> bool) -> Encoding {
    let Some(accept) = accept else {
        return Encoding::Identity;
    };
    let mut named = [None; 3];
    let mut others = 0;
    for entry in accept.split(',') {
        let (name, parameters) = entry.split_once(';').unwrap_or((entry, ""));
        let (name, weight) = (name.trim(), weight(parameters));
        let mut known = Encoding::ALL.into_iter();
        if name == "*" {
            others = weight;
        } else if let Some(encoding) = known.find(|each| each.name().eq_ignore_ascii_case(name)) {
            named[encoding as usize] = Some(weight);
        }
    }
    let mut best = (Encoding::Identity, 0);
    for encoding in Encoding::ALL.into_iter().filter(|each| stored(*each)) {
        // `*` doesn't select identity, which is the fallback anyway.
        let unnamed = if encoding == Encoding::Identity {
            0
        } else {
            others
        };
        let weight = named[encoding as usize].unwrap_or(unnamed);
        if weight > best.1 {
            best = (encoding, weight);
        }
    }
    best.0
}

/// `q=0.5` is 500; a malformed weight excludes its entry.
fn weight(parameters: &str) -> u16 {
    let parameters = parameters.trim();
    if parameters.is_empty() {
        return 1000;
    }
    let Some(("q" | "Q", value)) = parameters.split_once('=') else {
        return 0;
    };
    match value.trim().parse::<f32>() {
        Ok(value) if (0.0..=1.0).contains(&value) => (value * 1000.0).round() as u16,
        _ => 0,
    }
}

/// Whether `If-None-Match` contains this tag. The comparison is weak: a compressing proxy prefixes
/// our tags with `W/`.
fn has_tag(request: &HeaderMap, tag: &str) -> bool {
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

/// The headers of every answer, including a 304.
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
    // Reserves room, so that the copy of the map needn't grow for each answer.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn best(accept: &str) -> &'static str {
        choose(Some(accept), |_| true).name()
    }

    #[test]
    fn the_stored_encoding_with_the_highest_weight_is_chosen() {
        for (accept, expected) in [
            ("gzip, deflate, br, zstd", "br"),
            ("gzip;q=1.0, br;q=0.5", "gzip"),
            ("GZIP", "gzip"),
            ("*", "br"),
            ("br;q=0, *;q=0.1", "gzip"),
            ("identity, gzip;q=0.5", "identity"),
            ("br;q=0, gzip;q=0.000", "identity"),
            ("*;q=0", "identity"),
            ("br;q=0,gzip", "gzip"),
            ("deflate", "identity"),
            ("br;q=x", "identity"),
            ("", "identity"),
        ] {
            assert_eq!(best(accept), expected, "{accept}");
        }
        assert_eq!(choose(None, |_| true), Encoding::Identity);
        let gzip_only = |encoding| encoding != Encoding::Brotli;
        assert_eq!(choose(Some("br, gzip;q=0.1"), gzip_only), Encoding::Gzip);
        assert_eq!(choose(Some("br"), gzip_only), Encoding::Identity);
    }

    proptest! {
        #[test]
        fn any_accept_encoding_is_answered_and_weight_zero_stays_out(text in "\\PC{0,60}") {
            choose(Some(&text), |_| true);
            let excluded = format!("{text}, br;q=0");
            prop_assert_ne!(best(&excluded), "br");
        }
    }
}
