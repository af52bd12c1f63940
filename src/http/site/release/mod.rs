//! A release: the built site in one file. A line with its format and its
//! checksum, a line with a list (JSON), then the bodies in the order of the
//! list. Written by `web/build/pack.ts`.
//!
//! Nothing is copied: bodies point into the bytes they came in, which for the
//! release that the program carries is the program itself.

mod checks;
mod edition;

use std::collections::HashMap;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

pub use self::edition::{Body, Edition, File, Kind, StoredAsset};
use crate::config::read_regular;
use crate::content::Facts;

const NAME: &str = "frontdoor release ";
const FORMAT: &str = "1";
const LONGEST_FIRST_LINE: usize = 200;

/// As the web build calls it.
const FILE_NAME: &str = "site.pack";

/// Of a whole file: a server holds the present release and, for a moment, the next
/// (`MemoryMax` in deploy/frontdoor.service).
const MOST_BYTES: u64 = 32 * 1024 * 1024;

pub struct Release {
    /// Of everything after its first line: tells it from every other one.
    pub checksum: String,
    /// What the server itself says, read and as it is written.
    pub facts: Facts,
    pub facts_json: String,
    /// In the order of their times; there is at least one.
    editions: Vec<Edition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    facts: Box<RawValue>,
    bodies: Vec<Place>,
    editions: Vec<Edition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    tag: String,
    length: usize,
}

impl Release {
    /// What the program carries: it was not on its way anywhere.
    pub fn carried(bytes: &'static [u8]) -> anyhow::Result<Self> {
        let (checksum, content) = open(&Bytes::from_static(bytes))?;
        Self::parse(checksum, &content)
    }

    /// From its file, or from the folder that the web build has left it in.
    pub fn open(place: &Path) -> anyhow::Result<Self> {
        let bytes = read_file(place)?;
        Self::read(&bytes).with_context(|| place.display().to_string())
    }

    /// From elsewhere. Anything but a whole release, unchanged, is refused.
    pub fn read(bytes: &Bytes) -> anyhow::Result<Self> {
        let (checksum, content) = open(bytes)?;
        ensure!(
            hex(&Sha256::digest(&content)) == checksum,
            "the release is not as it was built (its checksum is another): copy it again, or build it again"
        );
        Self::parse(checksum, &content)
    }

    fn parse(checksum: String, content: &Bytes) -> anyhow::Result<Self> {
        let end = content.iter().position(|byte| *byte == b'\n');
        let end = end.context("the release's list has no end")?;
        let list: List = serde_json::from_slice(&content[..end]).context("the release's list")?;
        let bodies = bodies(&list.bodies, content.slice(end + 1..))?;
        let mut editions = list.editions;
        for file in editions.iter_mut().flat_map(|edition| &mut edition.files) {
            for body in &mut file.bodies {
                let bytes = bodies.get(body.tag.as_str());
                let bytes = bytes.with_context(|| format!("{}: a body is missing", file.path))?;
                body.bytes = bytes.clone();
            }
            checks::check(file)?;
        }
        checks::check_order(&editions)?;
        Ok(Self {
            checksum,
            facts: serde_json::from_str(list.facts.get()).context("the release's facts")?,
            facts_json: list.facts.get().to_owned(),
            editions,
        })
    }

    /// The assets of a stored one, from the first bytes of its file; nothing when the
    /// list in them is not whole.
    pub fn assets(id: i64, start: &Bytes) -> anyhow::Result<Option<Vec<StoredAsset>>> {
        let (_, content) = open(start)?;
        let Some(end) = content.iter().position(|byte| *byte == b'\n') else {
            return Ok(None);
        };
        let list: List = serde_json::from_slice(&content[..end]).context("the release's list")?;
        let mut places = HashMap::new();
        let mut begin = start.len() - content.len() + end + 1;
        for Place { tag, length } in &list.bodies {
            places.insert(tag.as_str(), begin..begin + length);
            begin += length;
        }
        let files = list.editions.into_iter().flat_map(|edition| edition.files);
        let asset = |file: File| {
            checks::check(&file)?;
            let place = |body: &Body| places.get(body.tag.as_str()).cloned();
            let found: Option<_> = file.bodies.iter().map(place).collect();
            let places = found.with_context(|| format!("{}: a body is missing", file.path))?;
            Ok(StoredAsset {
                release: id,
                file,
                places,
            })
        };
        let assets = files.filter(|file| file.kind == Kind::Asset).map(asset);
        assets.collect::<anyhow::Result<_>>().map(Some)
    }

    pub fn editions(&self) -> &[Edition] {
        &self.editions
    }

    /// The one to show at this time, and when another follows it.
    pub fn at(&self, now: Timestamp) -> (&Edition, Option<Timestamp>) {
        let has_begun = |edition: &Edition| edition.from.is_none_or(|from| from <= now);
        let last = self.editions.iter().rposition(has_begun).unwrap_or(0);
        let next = self.editions.get(last + 1);
        (&self.editions[last], next.and_then(|next| next.from))
    }

    /// As visitors find it at first.
    pub fn pages(&self) -> usize {
        let files = self.editions[0].files.iter();
        files.filter(|file| file.kind == Kind::Page).count()
    }
}

/// The bytes of a release: of a file, or of the one in a folder.
pub fn read_file(place: &Path) -> anyhow::Result<Bytes> {
    let file = match place.is_dir() {
        true => place.join(FILE_NAME),
        false => place.to_owned(),
    };
    let read = read_regular(&file, MOST_BYTES);
    let read = read.with_context(|| format!("cannot read the release {}", file.display()))?;
    Ok(read.0.into())
}

/// The checksum that the first line names, and all that follows it.
fn open(bytes: &Bytes) -> anyhow::Result<(String, Bytes)> {
    let start = bytes.iter().take(LONGEST_FIRST_LINE);
    let end = start.copied().position(|byte| byte == b'\n');
    let first = end.and_then(|end| std::str::from_utf8(&bytes[..end]).ok());
    let (Some(end), Some(words)) = (end, first.and_then(|line| line.strip_prefix(NAME))) else {
        bail!("this is no release: `npm run build` in web/ makes one, web/dist/site.pack");
    };
    let (format, rest) = words.split_once(' ').unwrap_or((words, ""));
    ensure!(
        format == FORMAT,
        "the release has format {format:?}, this program reads {FORMAT:?}: use the program of the \
         version it was built with, or build it again with the sources of this one"
    );
    let checksum = rest.strip_prefix("sha256 ");
    let checksum = checksum.context("the release's first line names no checksum")?;
    Ok((checksum.to_owned(), bytes.slice(end + 1..)))
}

fn bodies(places: &[Place], mut rest: Bytes) -> anyhow::Result<HashMap<&str, Bytes>> {
    let mut bodies = HashMap::with_capacity(places.len());
    for place in places {
        ensure!(place.length <= rest.len(), "the release is cut short");
        bodies.insert(place.tag.as_str(), rest.split_to(place.length));
    }
    ensure!(rest.is_empty(), "more bytes than the release's list names");
    Ok(bodies)
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of a body that was not in the release, as the web build makes those that are.
pub fn tag(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(bytes)[..12])
}

/// The release as the web build has left it.
#[cfg(test)]
pub fn built() -> &'static [u8] {
    let pack = std::fs::read(concat!(env!("FRONTDOOR_WEB_DIST"), "/site.pack"));
    pack.expect("the site is built").leak()
}

#[cfg(test)]
mod tests;
