//! What settings add to every page at start: a snippet in its head, and the
//! origins its policy then has to allow. Without any, pages stay as built.

use std::io::Write as _;

use bytes::Bytes;

use super::chat::{self, BrowserChat};
use super::negotiate::Encoding;
use super::release::{File, tag};
use super::settings::BrowserSettings;
use crate::config::ChatSettings;
use crate::http::edge::headers::ExtraSources;

/// Good enough for a start in well under a second; the build's own files are
/// compressed harder.
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW: i32 = 20;

#[derive(Debug, Clone, Default)]
pub struct Shell {
    /// HTML put before `</head>`.
    pub head: String,
    pub sources: ExtraSources,
}

impl Shell {
    pub fn new(chat: Option<&ChatSettings>) -> Self {
        let settings = BrowserSettings {
            chat: chat.map(BrowserChat::new),
        };
        Self {
            head: settings.tag(),
            sources: chat.map(chat::sources).unwrap_or_default(),
        }
    }

    /// Each stored encoding of a file, with its tag.
    pub fn bodies(&self, file: &File) -> Vec<(Encoding, Bytes, String)> {
        if file.is_html() && !self.head.is_empty() {
            return self.extended(file);
        }
        let stored = file.bodies.iter();
        let stored = stored.map(|body| (body.encoding, body.bytes.clone(), body.tag.clone()));
        stored.collect()
    }

    fn extended(&self, file: &File) -> Vec<(Encoding, Bytes, String)> {
        let html = file.text();
        let html = html.replacen("</head>", &format!("{}</head>", self.head), 1);
        let encoded = [
            (Encoding::Identity, html.clone().into_bytes()),
            (Encoding::Brotli, brotli(html.as_bytes())),
            (Encoding::Gzip, gzip(html.as_bytes())),
        ];
        encoded
            .map(|(encoding, bytes)| (encoding, tag(&bytes), bytes))
            .map(|(encoding, tag, bytes)| (encoding, Bytes::from(bytes), tag))
            .into()
    }
}

fn brotli(bytes: &[u8]) -> Vec<u8> {
    let params = brotli::enc::BrotliEncoderParams {
        quality: BROTLI_QUALITY,
        lgwin: BROTLI_WINDOW,
        ..Default::default()
    };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &params).expect("memory to memory");
    packed
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).expect("memory to memory");
    encoder.finish().expect("memory to memory")
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use super::super::release::{Release, built};
    use super::*;

    fn home(site: &Release) -> &File {
        let mut files = site.editions()[0].served();
        files
            .find(|file| file.path == "/")
            .expect("there is a home page")
    }

    #[test]
    fn without_additions_pages_are_the_bytes_of_the_build() {
        let site = Release::carried(built()).unwrap();
        let bodies = Shell::default().bodies(home(&site));
        assert_eq!(bodies[0].1, home(&site).bodies[0].bytes);
        assert_eq!(bodies[0].2, home(&site).bodies[0].tag);
    }

    #[test]
    fn a_snippet_is_in_every_encoding_and_changes_every_tag() {
        let shell = Shell {
            head: "<meta name=\"x\">".into(),
            ..Shell::default()
        };
        let site = Release::carried(built()).unwrap();
        let bodies = shell.bodies(home(&site));
        let plain = String::from_utf8(bodies[0].1.to_vec()).unwrap();
        assert_eq!(plain.matches("<meta name=\"x\"></head>").count(), 1);
        assert_ne!(bodies[0].2, home(&site).bodies[0].tag);

        let mut unpacked = String::new();
        let mut gzip = flate2::read::GzDecoder::new(&*bodies[2].1);
        gzip.read_to_string(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain);

        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &*bodies[1].1, &mut unpacked).unwrap();
        assert_eq!(unpacked, plain.as_bytes());
    }
}
