//! What a release is made of: editions of the whole site, their files, and the
//! bytes of each in every encoding.

use std::ops::Range;

use anyhow::Context as _;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;

use crate::http::site::negotiate::Encoding;

/// What a file is for, and so how it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// HTML, always revalidated.
    Page,
    /// Named by its content's hash: kept for ever.
    Asset,
    /// A well-known file with a fixed name: kept for an hour.
    Document,
    /// HTML that a handler serves, not found by its path.
    Template,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct File {
    pub path: String,
    pub kind: Kind,
    #[serde(rename = "type")]
    pub content_type: String,
    pub status: u16,
    pub script_hashes: Vec<String>,
    pub style_hashes: Vec<String>,
    /// As it is first, then each encoding.
    pub bodies: Vec<Body>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    pub encoding: Encoding,
    /// Differs with the bytes, and so with the encoding.
    pub tag: String,
    #[serde(skip)]
    pub bytes: Bytes,
}

/// The whole site from a time on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edition {
    /// The first has none.
    pub from: Option<Timestamp>,
    pub files: Vec<File>,
}

/// An asset that is not held: where in its stored release its bodies are.
pub struct StoredAsset {
    pub release: i64,
    pub file: File,
    pub places: Vec<Range<usize>>,
}

impl Edition {
    /// What is found by its path.
    pub fn served(&self) -> impl Iterator<Item = &File> {
        self.files.iter().filter(|file| file.kind != Kind::Template)
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.served().find(|file| file.path == path)
    }

    pub fn template(&self, name: &str) -> anyhow::Result<&File> {
        let mut templates = self.files.iter().filter(|file| file.kind == Kind::Template);
        let found = templates.find(|file| file.path == name);
        found.with_context(|| format!("there is no template {name}"))
    }
}

impl File {
    pub fn is_html(&self) -> bool {
        matches!(self.kind, Kind::Page | Kind::Template)
    }

    /// As it is, for a page: its HTML.
    pub fn text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.bodies[0].bytes)
    }
}
