//! The built web site, as the web build packs it into one file and the binary
//! carries it: a line with its name, a line with a list (JSON), then the bodies
//! in the order of the list. Written by `web/build/pack.ts`.
//!
//! Nothing is copied: texts and bodies point into the binary.

use anyhow::{Context as _, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

use super::negotiate::Encoding;

const FIRST_LINE: &[u8] = b"frontdoor site 1\n";

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

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EmbeddedFile {
    pub path: &'static str,
    pub kind: Kind,
    #[serde(rename = "type")]
    pub content_type: &'static str,
    pub status: u16,
    pub script_hashes: Vec<&'static str>,
    pub style_hashes: Vec<&'static str>,
    /// As it is first, then each encoding.
    pub bodies: Vec<EmbeddedBody>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddedBody {
    pub encoding: Encoding,
    /// Differs with the bytes, and so with the encoding.
    pub tag: &'static str,
    length: usize,
    #[serde(skip)]
    pub bytes: &'static [u8],
}

/// Every file of the site.
pub struct Embedded(Vec<EmbeddedFile>);

impl Embedded {
    /// Anything but a whole site is refused.
    pub fn parse(pack: &'static [u8]) -> anyhow::Result<Self> {
        let pack = pack.strip_prefix(FIRST_LINE);
        let pack = pack.context("the site is not packed as this program expects")?;
        let end = pack.iter().position(|byte| *byte == b'\n');
        let (list, mut rest) = pack.split_at(end.context("the site's list has no end")?);
        let mut files: Vec<EmbeddedFile> =
            serde_json::from_slice(list).context("the site's list")?;
        rest = &rest[1..];
        for file in &mut files {
            let first = file.bodies.first().map(|body| body.encoding);
            let is_whole = first == Some(Encoding::Identity);
            ensure!(is_whole, "{}: not there as it is", file.path);
            for body in &mut file.bodies {
                let parts = rest.split_at_checked(body.length);
                let cut = || format!("{}: cut short", file.path);
                (body.bytes, rest) = parts.with_context(cut)?;
            }
        }
        ensure!(rest.is_empty(), "more bytes than the site's list names");
        Ok(Self(files))
    }

    /// What is found by its path.
    pub fn served(&self) -> impl Iterator<Item = &EmbeddedFile> {
        self.0.iter().filter(|file| file.kind != Kind::Template)
    }

    pub fn template(&self, name: &str) -> anyhow::Result<&EmbeddedFile> {
        let mut templates = self.0.iter().filter(|file| file.kind == Kind::Template);
        let found = templates.find(|file| file.path == name);
        found.with_context(|| format!("the web build has no template {name}"))
    }
}

/// Of a body that was not in the pack, as the web build makes those that are.
pub fn tag(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(&Sha256::digest(bytes)[..12])
}

/// The site as `make web` has left it.
#[cfg(test)]
pub fn built() -> &'static [u8] {
    let pack = std::fs::read(env!("FRONTDOOR_PACK"));
    pack.expect("`make web` has made the site").leak()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(pack: &'static [u8]) -> String {
        let refused = Embedded::parse(pack).err().expect("it is refused");
        format!("{refused:#}")
    }

    fn pack(list: &str, bodies: &str) -> &'static [u8] {
        let text = format!("frontdoor site 1\n{list}\n{bodies}");
        text.into_bytes().leak()
    }

    fn file(bodies: &str) -> String {
        format!(
            r#"[{{"path":"/a","kind":"document","type":"text/plain","status":200,
            "scriptHashes":[],"styleHashes":[],"bodies":[{bodies}]}}]"#
        )
        .replace('\n', "")
    }

    const PLAIN: &str = r#"{"encoding":"identity","tag":"t","length":3}"#;
    const GZIP: &str = r#"{"encoding":"gzip","tag":"u","length":2}"#;

    #[test]
    fn each_file_has_its_own_bytes_in_each_encoding() {
        let list = file(&format!("{PLAIN},{GZIP}"));
        let site = Embedded::parse(pack(&list, "abcde")).unwrap();
        let file = site.served().next().unwrap();
        assert_eq!((file.path, file.kind), ("/a", Kind::Document));
        let bodies = file.bodies.iter();
        let bodies: Vec<_> = bodies.map(|b| (b.encoding, b.tag, b.bytes)).collect();
        let plain = (Encoding::Identity, "t", &b"abc"[..]);
        assert_eq!(bodies, [plain, (Encoding::Gzip, "u", &b"de"[..])]);
    }

    #[test]
    fn what_the_web_build_writes_is_read_whole() {
        let site = Embedded::parse(built()).unwrap();
        let home = site.served().find(|file| file.path == "/").unwrap();
        assert!(home.bodies[0].bytes.starts_with(b"<!"), "it is HTML");
        let encodings: Vec<_> = home.bodies.iter().map(|body| body.encoding).collect();
        let expected = [Encoding::Identity, Encoding::Brotli, Encoding::Gzip];
        assert_eq!(encodings, expected);
        for body in site.0.iter().flat_map(|file| &file.bodies) {
            assert_eq!(tag(body.bytes), body.tag);
        }
    }

    #[test]
    fn a_site_that_was_cut_short_is_refused_wherever_the_cut_is() {
        let whole = built();
        let list = whole.iter().skip(20).position(|b| *b == b'\n').unwrap() + 20;
        for end in [
            0,
            5,
            FIRST_LINE.len(),
            1000,
            list,
            list + 1,
            whole.len() - 1,
        ] {
            assert!(Embedded::parse(&whole[..end]).is_err(), "{end} bytes");
        }
    }

    #[test]
    fn what_is_no_site_is_refused_with_the_reason() {
        assert!(refusal(b"<!doctype html>").contains("not packed as this program expects"));
        assert!(refusal(b"frontdoor site 2\n[]\n").contains("not packed as"));
        assert!(refusal(pack("{", "")).starts_with("the site's list: "));
        assert!(refusal(pack("[{}]", "")).contains("missing field"));
        assert_eq!(refusal(pack(&file(PLAIN), "ab")), "/a: cut short");
        assert_eq!(refusal(pack(&file(GZIP), "ab")), "/a: not there as it is");
        assert!(refusal(pack(&file(PLAIN), "abcd")).starts_with("more bytes than"));
    }
}
