//! A release: the built site in one file, written by `web/build/pack.ts`. The file has a line with
//! its format and checksum, a line with a list of its contents (JSON), then the bodies in the
//! list's order.
//!
//! Bodies point into the bytes of the file and aren't copied. The bytes of the built-in release are
//! part of the executable.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use crate::config::read_regular;
use crate::content::SiteFacts;
use crate::store::ReleaseChanges;

const NAME: &str = "frontdoor release ";
const FORMAT: &str = "1";
const MAX_FIRST_LINE: usize = 200;

/// The name that the web build gives a release file.
const FILE_NAME: &str = "site.pack";

/// The largest file. A server holds the current release and, briefly, the next one (`MemoryMax` in
/// deploy/frontdoor.service).
const MAX_BYTES: u64 = 32 * 1024 * 1024;

pub struct Release {
    /// The hash of everything after the first line, which identifies the release.
    pub checksum: String,
    /// What mails and commands need to know about the site; `facts_json` is the same as written.
    pub facts: SiteFacts,
    pub facts_json: String,
    /// Ordered by start time; never empty.
    editions: Vec<Edition>,
}

/// The whole site from a given time on.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Edition {
    /// `None` for the first edition.
    from: Option<Timestamp>,
    pub files: Vec<File>,
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
    /// The uncompressed body first, then one for each encoding.
    pub bodies: Vec<Body>,
}

/// What a file is for, which decides how it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// HTML, always revalidated.
    Page,
    /// Named by its content hash; cached forever.
    Asset,
    /// A well-known file with a fixed name; cached for an hour.
    Document,
    /// HTML that a handler fills in; it has no path.
    Template,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Body {
    pub encoding: Encoding,
    /// The entity tag, which differs for each encoding.
    pub tag: String,
    #[serde(skip)]
    pub bytes: Bytes,
}

/// The encoding of a stored body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Encoding {
    #[serde(rename = "br")]
    Brotli,
    Gzip,
    Identity,
}

impl Encoding {
    pub fn name(self) -> &'static str {
        match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
            Self::Identity => "identity",
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    facts: Box<RawValue>,
    bodies: Vec<ListedBody>,
    editions: Vec<Edition>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListedBody {
    tag: String,
    length: usize,
}

impl Release {
    /// The built-in release, without verifying its checksum.
    pub fn built_in(bytes: &'static [u8]) -> anyhow::Result<Self> {
        let bytes = Bytes::from_static(bytes);
        let (checksum, start) = read_first_line(&bytes)?;
        Self::parse(checksum, &bytes, start)
    }

    /// Opens a release file, or the one in the web build's folder.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let bytes = read_file(path)?;
        Self::read(&bytes).with_context(|| path.display().to_string())
    }

    /// Parses a release from outside the program. Fails if it doesn't match its checksum.
    pub fn read(bytes: &Bytes) -> anyhow::Result<Self> {
        let (checksum, start) = read_first_line(bytes)?;
        ensure!(
            hex(&Sha256::digest(&bytes[start..])) == checksum,
            "the release was changed or damaged since it was built (its checksum differs): copy it \
            again, or build it again"
        );
        Self::parse(checksum, bytes, start)
    }

    /// The list begins at `start`.
    fn parse(checksum: String, bytes: &Bytes, start: usize) -> anyhow::Result<Self> {
        let length = bytes[start..].iter().position(|byte| *byte == b'\n');
        let end = start + length.context("the release's list has no end")?;
        let list = serde_json::from_slice(&bytes[start..end]);
        let list: List = list.context("the release's list")?;
        let (mut ranges, mut next) = (HashMap::new(), end + 1);
        for body in &list.bodies {
            ensure!(
                body.length <= bytes.len() - next,
                "the release is cut short"
            );
            ranges.insert(body.tag.as_str(), next..next + body.length);
            next += body.length;
        }
        ensure!(next == bytes.len(), "the release is longer than its list");
        let mut editions = list.editions;
        for file in editions.iter_mut().flat_map(|edition| &mut edition.files) {
            for body in &mut file.bodies {
                let range = ranges.get(body.tag.as_str());
                let range = range.with_context(|| format!("{}: a body is missing", file.path))?;
                body.bytes = bytes.slice(range.clone());
            }
            check(file)?;
        }
        let times: Vec<_> = editions.iter().map(|edition| edition.from).collect();
        let is_ordered = times.first() == Some(&None) && times.is_sorted_by(|a, b| a < b);
        ensure!(is_ordered, "the release's editions are out of order");
        Ok(Self {
            checksum,
            facts: serde_json::from_str(list.facts.get()).context("the release's facts")?,
            facts_json: list.facts.get().to_owned(),
            editions,
        })
    }

    pub fn editions(&self) -> &[Edition] {
        &self.editions
    }

    /// The edition to show at this time, and when the next one starts.
    pub fn at(&self, now: Timestamp) -> (&Edition, Option<Timestamp>) {
        let has_begun = |edition: &Edition| edition.from.is_none_or(|from| from <= now);
        let last = self.editions.iter().rposition(has_begun).unwrap_or(0);
        let next = self.editions.get(last + 1);
        (&self.editions[last], next.and_then(|next| next.from))
    }

    /// The paths of the pages that differ from another release's.
    pub fn changes_since(&self, before: &Self) -> ReleaseChanges {
        let pages = |release: &Self| -> BTreeMap<String, String> {
            let files = release.editions[0].files.iter();
            let pages = files.filter(|file| file.kind == Kind::Page);
            let tagged = pages.map(|page| (page.path.clone(), page.bodies[0].tag.clone()));
            tagged.collect()
        };
        let (old, new) = (pages(before), pages(self));
        let only = |these: &BTreeMap<String, String>, those: &BTreeMap<String, String>| {
            let missing = these.keys().filter(|path| !those.contains_key(*path));
            missing.cloned().collect()
        };
        let is_changed =
            |(path, tag): &(&String, &String)| old.get(*path).is_some_and(|before| before != *tag);
        ReleaseChanges {
            added: only(&new, &old),
            removed: only(&old, &new),
            changed: new
                .iter()
                .filter(is_changed)
                .map(|(path, _)| path.clone())
                .collect(),
        }
    }

    pub fn pages(&self) -> usize {
        let files = self.editions[0].files.iter();
        files.filter(|file| file.kind == Kind::Page).count()
    }
}

impl Edition {
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

    /// The uncompressed content, which for a page is its HTML.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bodies[0].bytes)
    }
}

pub fn read_file(path: &Path) -> anyhow::Result<Bytes> {
    let file = if path.is_dir() {
        path.join(FILE_NAME)
    } else {
        path.to_owned()
    };
    let read = read_regular(&file, MAX_BYTES);
    let read = read.with_context(|| format!("can't read the release {}", file.display()))?;
    Ok(read.0.into())
}

/// The entity tag of a body, computed as in the web build.
pub fn tag(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(bytes)[..12])
}

/// The checksum in the first line, and where the next line begins.
fn read_first_line(bytes: &Bytes) -> anyhow::Result<(String, usize)> {
    let start = bytes.iter().take(MAX_FIRST_LINE);
    let end = start.copied().position(|byte| byte == b'\n');
    let first = end.and_then(|end| std::str::from_utf8(&bytes[..end]).ok());
    let (Some(end), Some(words)) = (end, first.and_then(|line| line.strip_prefix(NAME))) else {
        bail!("this isn't a release file; `make web` makes one, web/dist/site.pack");
    };
    let (format, rest) = words.split_once(' ').unwrap_or((words, ""));
    ensure!(
        format == FORMAT,
        "the release has format {format:?}, this program reads {FORMAT:?}: use the program of the \
         version it was built with, or build it again with the sources of this one"
    );
    let checksum = rest.strip_prefix("sha256 ");
    let checksum = checksum.context("the release's first line names no checksum")?;
    Ok((checksum.to_owned(), end + 1))
}

/// Paths are logged unescaped, so they must be plain.
fn check(file: &File) -> anyhow::Result<()> {
    let File { path, .. } = file;
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>');
    let is_path = path.starts_with('/') || file.kind == Kind::Template;
    ensure!(
        is_path && path.chars().all(is_plain),
        "{path:?} isn't a valid path"
    );
    let first = file.bodies.first().map(|body| body.encoding);
    let is_whole = first == Some(Encoding::Identity);
    ensure!(is_whole, "{path}: its uncompressed form is missing");
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The release that the web build made for tests.
#[cfg(test)]
pub fn built() -> &'static [u8] {
    let pack = std::fs::read(concat!(env!("FRONTDOOR_WEB_DIST"), "/site.pack"));
    pack.expect("the site is built").leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> anyhow::Result<Release> {
        Release::read(&Bytes::copy_from_slice(bytes))
    }

    fn release(list: &str, bodies: &str) -> Vec<u8> {
        let content = format!("{list}\n{bodies}");
        let checksum = hex(&Sha256::digest(content.as_bytes()));
        format!("frontdoor release 1 sha256 {checksum}\n{content}").into_bytes()
    }

    /// Includes the real facts.
    fn list(editions: &str) -> String {
        let facts =
            include_str!(concat!(env!("FRONTDOOR_WEB_DIST"), "/server.json")).replace('\n', "");
        format!(r#"{{"facts":{facts},"bodies":[{BODIES}],"editions":[{editions}]}}"#)
    }

    fn edition(from: &str, path: &str, bodies: &str) -> String {
        format!(
            r#"{{"from":{from},"files":[{{"path":"{path}","kind":"document","type":"text/plain",
            "status":200,"scriptHashes":[],"styleHashes":[],"bodies":[{bodies}]}}]}}"#
        )
        .replace('\n', "")
    }

    const BODIES: &str = r#"{"tag":"t","length":3},{"tag":"u","length":2}"#;
    const PLAIN: &str = r#"{"encoding":"identity","tag":"t"}"#;
    const GZIP: &str = r#"{"encoding":"gzip","tag":"u"}"#;

    #[test]
    fn a_release_that_was_cut_short_or_changed_is_refused_wherever_that_is() {
        let whole = built();
        assert!(read(whole).unwrap().pages() > 10);
        let newline = |from: usize| {
            let rest = whole.iter().skip(from);
            from + rest.copied().position(|byte| byte == b'\n').unwrap()
        };
        let first = newline(0);
        let list = newline(first + 1);
        for end in [
            0,
            5,
            first,
            first + 1,
            1000,
            list,
            list + 1,
            whole.len() - 1,
        ] {
            assert!(read(&whole[..end]).is_err(), "{end} bytes");
            assert!(Release::built_in(&whole[..end]).is_err(), "{end} bytes");
            let mut changed = whole.to_vec();
            changed[end] ^= 1;
            assert!(read(&changed).is_err(), "byte {end}");
        }
    }

    #[test]
    fn a_file_that_is_no_release_is_refused_with_the_reason() {
        let one = |path: &str, bodies: &str| list(&edition("null", path, bodies));
        let (plain, twice) = (one("/a", PLAIN), edition("null", "/a", PLAIN));
        let missing = PLAIN.replace("\"t\"", "\"x\"");
        for (bytes, reason) in [
            (b"<!doctype html>".to_vec(), "this isn't a release file"),
            (
                b"frontdoor release 2 sha256 x\n{}\n".to_vec(),
                "has format \"2\", this program reads \"1\": use the program",
            ),
            (b"frontdoor release 1\n{}\n".to_vec(), "names no checksum"),
            (release("{", ""), "the release's list: "),
            (release("{}", ""), "missing field"),
            (release(&plain, "abcd"), "the release is cut short"),
            (release(&plain, "abcdef"), "longer than its list"),
            (
                release(&one("/a", GZIP), "abcde"),
                "/a: its uncompressed form is missing",
            ),
            (
                release(&one("/a", &missing), "abcde"),
                "/a: a body is missing",
            ),
            (
                release(&one("a b", PLAIN), "abcde"),
                "\"a b\" isn't a valid path",
            ),
            (release(&list(""), "abcde"), "editions are out of order"),
            (
                release(&list(&format!("{twice},{twice}")), "abcde"),
                "editions are out of order",
            ),
        ] {
            let refusal = format!("{:#}", read(&bytes).err().expect(reason));
            assert!(refusal.contains(reason), "{reason}: {refusal}");
        }
    }
}
