//! One thing the site serves, ready to be sent: for each encoding its bytes
//! with all their headers.

use anyhow::Context as _;
use axum::body::Bytes;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderValue, IF_NONE_MATCH, VARY,
};
use http::{Method, StatusCode};

use super::negotiate::{self, Encoding};
use super::release::{File, Kind};
use super::shell::Shell;
use crate::http::edge::body::{self, Answer};
use crate::http::edge::headers::{self, ExtraSources};
use crate::http::edge::request_id::REQUEST_ID;

pub struct Resource {
    /// Its path: the site's own words, never a visitor's.
    pub path: String,
    pub kind: Kind,
    status: StatusCode,
    variants: [Option<Variant>; 4],
    /// The policy that replaces the ordinary one when the visitor uses TLS.
    tls_policy: Option<HeaderValue>,
}

struct Variant {
    bytes: Bytes,
    tag: String,
    headers: HeaderMap,
    /// Those of a 304.
    headers_without_body: HeaderMap,
}

impl Resource {
    /// Refuses what cannot be said in headers.
    pub fn new(file: &File, shell: &Shell) -> anyhow::Result<Self> {
        let policy = |tls| {
            let policy = file.is_html().then(|| policy(file, &shell.sources, tls));
            policy.transpose()
        };
        let mut base = base_headers(file, policy(false)?, &shell.sources)?;
        let mut variants = [const { None }; 4];
        let bodies = shell.bodies(file);
        if bodies.len() > 1 {
            base.insert(VARY, HeaderValue::from_static("accept-encoding"));
        }
        for (encoding, bytes, tag) in bodies {
            let tag = format!("\"{tag}\"");
            let headers = variant_headers(&base, encoding, &tag, bytes.len());
            variants[encoding.index()] = Some(Variant {
                bytes,
                tag,
                headers_without_body: without_body(headers.clone()),
                headers,
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
        let variant = self.select(request);
        let known = self.status == StatusCode::OK && is_known(request, &variant.tag);
        let (status, headers) = match known {
            true => (StatusCode::NOT_MODIFIED, &variant.headers_without_body),
            false => (self.status, &variant.headers),
        };
        let mut answer = match known || method == Method::HEAD {
            true => Answer::new(body::empty()),
            false => Answer::new(body::bytes(variant.bytes.clone())),
        };
        *answer.status_mut() = status;
        *answer.headers_mut() = headers.clone();
        if let (true, Some(policy)) = (tls, &self.tls_policy) {
            answer
                .headers_mut()
                .insert(CONTENT_SECURITY_POLICY, policy.clone());
        }
        answer
    }

    fn select(&self, request: &HeaderMap) -> &Variant {
        let accept = request
            .get(ACCEPT_ENCODING)
            .and_then(|value| value.to_str().ok());
        let stored = |encoding: Encoding| self.variants[encoding.index()].is_some();
        let chosen = negotiate::choose(accept, stored);
        self.variants[chosen.index()]
            .as_ref()
            .expect("identity is always stored, others are chosen only when stored")
    }
}

fn is_known(request: &HeaderMap, tag: &str) -> bool {
    let mut tags = request.get_all(IF_NONE_MATCH).iter();
    tags.any(|value| {
        value
            .to_str()
            .is_ok_and(|value| negotiate::matches_tag(value, tag))
    })
}

fn policy(file: &File, sources: &ExtraSources, tls: bool) -> anyhow::Result<HeaderValue> {
    let policy = headers::page_policy(&file.script_hashes, &file.style_hashes, sources, tls);
    policy
        .try_into()
        .with_context(|| format!("{}: its policy", file.path))
}

/// The headers that do not depend on the encoding.
fn base_headers(
    file: &File,
    policy: Option<HeaderValue>,
    sources: &ExtraSources,
) -> anyhow::Result<HeaderMap> {
    let mut map = HeaderMap::new();
    map.insert(CONTENT_TYPE, file.content_type.as_str().try_into()?);
    map.insert(CACHE_CONTROL, HeaderValue::from_static(caching(file)));
    // A place for it: a copy of the map would otherwise have to grow for each answer.
    map.insert(REQUEST_ID, HeaderValue::from_static(""));
    match policy {
        Some(policy) => headers::secure_page(&mut map, policy, sources),
        None if !file.style_hashes.is_empty() => {
            let policy = headers::picture_policy(&file.style_hashes).try_into()?;
            map.insert(CONTENT_SECURITY_POLICY, policy);
            headers::secure(&mut map);
        }
        None => headers::secure(&mut map),
    }
    Ok(map)
}

fn caching(file: &File) -> &'static str {
    match file.kind {
        Kind::Page | Kind::Template => "no-cache",
        Kind::Asset => "public, max-age=31536000, immutable",
        Kind::Document => "public, max-age=3600",
    }
}

fn variant_headers(base: &HeaderMap, encoding: Encoding, tag: &str, length: usize) -> HeaderMap {
    let mut map = base.clone();
    map.insert(ETAG, tag.try_into().expect("a tag is plain ASCII"));
    map.insert(CONTENT_LENGTH, length.into());
    if encoding != Encoding::Identity {
        map.insert(CONTENT_ENCODING, HeaderValue::from_static(encoding.name()));
    }
    map
}

fn without_body(mut map: HeaderMap) -> HeaderMap {
    for header in [CONTENT_LENGTH, CONTENT_TYPE, CONTENT_ENCODING] {
        map.remove(header);
    }
    map
}
