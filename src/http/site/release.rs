//! A release: the built site in one file. A line with its format and its
//! checksum, a line with a list (JSON), then the bodies in the order of the
//! list. Written by `web/build/pack.ts`.
//!
//! Nothing is copied: bodies point into the bytes they came in, which for the
//! release that the program carries is the program itself.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use sha2::{Digest as _, Sha256};

use super::negotiate::Encoding;
use crate::content::Facts;

const NAME: &str = "frontdoor release ";
const FORMAT: &str = "1";
const LONGEST_FIRST_LINE: usize = 200;

/// As the web build calls it.
const FILE_NAME: &str = "site.pack";

/// Of a whole file. No site of ours comes near it.
const MOST_BYTES: u64 = 64 * 1024 * 1024;

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
            check(file)?;
        }
        check_order(&editions)?;
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

    /// With bytes of its own, so that the rest of its release can go.
    pub fn apart(&self) -> Self {
        let mut own = self.clone();
        for body in &mut own.bodies {
            body.bytes = Bytes::copy_from_slice(&body.bytes);
        }
        own
    }
}

/// The bytes of a release: of a file, or of the one in a folder.
pub fn read_file(place: &Path) -> anyhow::Result<Bytes> {
    let file = match place.is_dir() {
        true => place.join(FILE_NAME),
        false => place.to_owned(),
    };
    let read = || {
        let length = std::fs::metadata(&file)?.len();
        let is_bounded = length <= MOST_BYTES;
        ensure!(
            is_bounded,
            "a release has at most {MOST_BYTES} bytes, this one has {length}"
        );
        Ok(std::fs::read(&file)?)
    };
    let bytes: anyhow::Result<Vec<u8>> = read();
    bytes
        .map(Bytes::from)
        .with_context(|| format!("cannot read the release {}", file.display()))
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

/// What is put into headers and the log as it is must be fit for them.
fn check(file: &File) -> anyhow::Result<()> {
    let File { path, .. } = file;
    let plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '<' | '>');
    let is_path = path.starts_with('/') || file.kind == Kind::Template;
    ensure!(is_path && path.chars().all(plain), "{path:?} is no path");
    let first = file.bodies.first().map(|body| body.encoding);
    ensure!(
        first == Some(Encoding::Identity),
        "{path}: not there as it is"
    );
    let is_token = |text: &str| {
        text.bytes()
            .all(|c| c.is_ascii_graphic() && !b"\"';,".contains(&c))
    };
    let hashes = file.script_hashes.iter().chain(&file.style_hashes);
    let tags = file.bodies.iter().map(|body| &body.tag);
    let wrong = hashes.chain(tags).find(|text| !is_token(text));
    ensure!(wrong.is_none(), "{path}: {wrong:?} is no hash");
    let is_type = file.content_type.bytes().all(|c| matches!(c, b' '..=b'~'));
    ensure!(
        is_type,
        "{path}: {:?} is no content type",
        file.content_type
    );
    let is_status = (200..=599).contains(&file.status);
    ensure!(
        is_status,
        "{path}: {} is no status of an answer",
        file.status
    );
    Ok(())
}

fn check_order(editions: &[Edition]) -> anyhow::Result<()> {
    let times: Vec<_> = editions.iter().map(|edition| edition.from).collect();
    let begins = times.first() == Some(&None);
    let ascends = times.windows(2).all(|pair| pair[0] < pair[1]);
    ensure!(begins && ascends, "the release's editions are in no order");
    for edition in editions {
        let mut paths = HashSet::new();
        let twice = edition.files.iter().find(|file| !paths.insert(&file.path));
        if let Some(File { path, .. }) = twice {
            bail!("{path} is there twice");
        }
    }
    Ok(())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Of a body that was not in the release, as the web build makes those that are.
pub fn tag(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(bytes)[..12])
}

/// The release as `make web` has left it.
#[cfg(test)]
pub fn built() -> &'static [u8] {
    let pack = std::fs::read(env!("FRONTDOOR_PACK"));
    pack.expect("`make web` has made the site").leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> anyhow::Result<Release> {
        Release::read(&Bytes::copy_from_slice(bytes))
    }

    fn refusal(bytes: &[u8]) -> String {
        format!("{:#}", read(bytes).err().expect("it is refused"))
    }

    fn release(list: &str, bodies: &str) -> Vec<u8> {
        let content = format!("{list}\n{bodies}");
        let checksum = hex(&Sha256::digest(content.as_bytes()));
        format!("frontdoor release 1 sha256 {checksum}\n{content}").into_bytes()
    }

    /// With the facts of the real one.
    fn list(bodies: &str, editions: &str) -> String {
        let facts = include_str!("../../../web/dist/server.json").replace('\n', "");
        format!(r#"{{"facts":{facts},"bodies":[{bodies}],"editions":[{editions}]}}"#)
    }

    fn file(path: &str, bodies: &str) -> String {
        format!(
            r#"{{"path":"{path}","kind":"document","type":"text/plain","status":200,
            "scriptHashes":[],"styleHashes":[],"bodies":[{bodies}]}}"#
        )
        .replace('\n', "")
    }

    fn edition(from: &str, files: &str) -> String {
        format!(r#"{{"from":{from},"files":[{files}]}}"#)
    }

    const BODIES: &str = r#"{"tag":"t","length":3},{"tag":"u","length":2}"#;
    const PLAIN: &str = r#"{"encoding":"identity","tag":"t"}"#;
    const GZIP: &str = r#"{"encoding":"gzip","tag":"u"}"#;

    #[test]
    fn each_file_has_its_own_bytes_in_each_encoding() {
        let both = edition("null", &file("/a", &format!("{PLAIN},{GZIP}")));
        let site = read(&release(&list(BODIES, &both), "abcde")).unwrap();
        let file = site.editions()[0].served().next().unwrap();
        assert_eq!((&*file.path, file.kind), ("/a", Kind::Document));
        let bodies = file.bodies.iter();
        let bodies: Vec<_> = bodies.map(|b| (b.encoding, &*b.tag, &*b.bytes)).collect();
        let plain = (Encoding::Identity, "t", &b"abc"[..]);
        assert_eq!(bodies, [plain, (Encoding::Gzip, "u", &b"de"[..])]);
    }

    #[test]
    fn the_edition_of_the_day_is_shown_and_the_next_one_is_known() {
        let editions = [
            edition("null", &file("/a", PLAIN)),
            edition("\"2031-05-17T04:00:00Z\"", &file("/b", PLAIN)),
        ];
        let site = read(&release(&list(BODIES, &editions.join(",")), "abcde")).unwrap();
        let begin: Timestamp = "2031-05-17T04:00:00Z".parse().unwrap();
        let shown = |now: Timestamp| {
            let (edition, next) = site.at(now);
            (edition.files[0].path.clone(), next)
        };
        assert_eq!(
            shown(begin - jiff::SignedDuration::from_millis(1)),
            ("/a".into(), Some(begin))
        );
        assert_eq!(shown(begin), ("/b".into(), None));
    }

    #[test]
    fn what_the_web_build_writes_is_read_whole() {
        let site = read(built()).unwrap();
        let carried = Release::carried(built()).unwrap();
        assert_eq!(site.checksum, carried.checksum);
        assert!(site.pages() > 10);
        let edition = &site.editions()[0];
        let home = edition.served().find(|file| file.path == "/").unwrap();
        assert!(home.text().starts_with("<!"), "it is HTML");
        let encodings: Vec<_> = home.bodies.iter().map(|body| body.encoding).collect();
        let expected = [Encoding::Identity, Encoding::Brotli, Encoding::Gzip];
        assert_eq!(encodings, expected);
    }

    #[test]
    fn a_release_that_was_cut_short_or_changed_is_refused_wherever_that_is() {
        let whole = built();
        let first = whole.iter().position(|b| *b == b'\n').unwrap();
        let list = whole
            .iter()
            .skip(first + 1)
            .position(|b| *b == b'\n')
            .unwrap()
            + first
            + 1;
        let ends = [
            0,
            5,
            first,
            first + 1,
            1000,
            list,
            list + 1,
            whole.len() - 1,
        ];
        for end in ends {
            assert!(read(&whole[..end]).is_err(), "{end} bytes");
            assert!(Release::carried(&whole[..end]).is_err(), "{end} bytes");
            let mut changed = whole.to_vec();
            changed[end] ^= 1;
            assert!(read(&changed).is_err(), "byte {end}");
        }
    }

    #[test]
    fn what_is_no_release_is_refused_with_the_reason() {
        assert!(refusal(b"<!doctype html>").starts_with("this is no release"));
        assert!(refusal(b"frontdoor site 1\n[]\n").starts_with("this is no release"));
        let later = refusal(b"frontdoor release 2 sha256 x\n{}\n");
        assert!(later.contains("has format \"2\", this program reads \"1\": use the program"));
        assert!(refusal(b"frontdoor release 1\n{}\n").contains("names no checksum"));
        assert!(refusal(b"frontdoor release 1 sha256 x\n{}\n").contains("its checksum is another"));
        let of = |editions: &str, bodies: &str| refusal(&release(&list(BODIES, editions), bodies));
        assert!(refusal(&release("{", "")).starts_with("the release's list: "));
        assert!(refusal(&release("{}", "")).contains("missing field"));
        let one = |path: &str, bodies: &str| edition("null", &file(path, bodies));
        let plain = one("/a", PLAIN);
        assert_eq!(of(&plain, "abcd"), "the release is cut short");
        assert!(of(&plain, "abcdef").starts_with("more bytes than"));
        assert_eq!(of(&one("/a", GZIP), "abcde"), "/a: not there as it is");
        let missing = PLAIN.replace("\"t\"", "\"x\"");
        assert_eq!(of(&one("/a", &missing), "abcde"), "/a: a body is missing");
        assert_eq!(of(&one("a b", PLAIN), "abcde"), "\"a b\" is no path");
        let twice = edition("null", &[file("/a", PLAIN), file("/a", PLAIN)].join(","));
        assert_eq!(of(&twice, "abcde"), "/a is there twice");
        let disorder = "the release's editions are in no order";
        assert_eq!(of("", "abcde"), disorder);
        assert_eq!(of(&format!("{plain},{plain}"), "abcde"), disorder);
    }
}
