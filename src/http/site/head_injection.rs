//! Adds settings to every page at start: a tag in the head that configures the chat assistant or
//! says that visits aren't counted, and the origins that the page's policy must allow for the chat.
//! With the default settings, pages are served as built.

use std::io::Write as _;

use super::release::{Body, Encoding, File, tag};
use crate::config::ChatSettings;
use crate::html::escape;
use crate::http::edge::response::ExtraSources;

/// Low, to keep the start well under a second; the build compresses its own files harder.
const BROTLI_QUALITY: i32 = 5;
const BROTLI_WINDOW: i32 = 20;

/// The provider's bundle creates an empty `<style>` element and fills it through the CSS object
/// model. The hash of the empty string allows that without `unsafe-inline`.
const EMPTY_STYLE: &str = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='";

#[derive(Debug, Clone, Default)]
pub struct HeadInjection {
    /// HTML inserted before `</head>`.
    html: String,
    pub sources: ExtraSources,
}

impl HeadInjection {
    pub fn new(chat: Option<&ChatSettings>, counts_visits: bool) -> Self {
        // Read by `web/src/lib/settings.ts`.
        let mut settings = serde_json::Map::new();
        if let Some(chat) = chat {
            let chat = serde_json::json!({
                "project": chat.project_id,
                "script": chat.script_url.as_str(),
                // The bundle appends a slash.
                "runtime": chat.runtime_url.as_str().trim_end_matches('/'),
                "load": chat.load.as_str(),
            });
            settings.insert("chat".into(), chat);
        }
        if !counts_visits {
            settings.insert("uncounted".into(), true.into());
        }
        if settings.is_empty() {
            return Self::default();
        }
        let content = escape(&serde_json::Value::Object(settings).to_string());
        // Some pages are templates, where a brace starts a placeholder.
        let content = content.replace('{', "&#123;");
        Self {
            html: format!("<meta name=\"settings\" content=\"{content}\">"),
            sources: chat.map(Self::sources_of).unwrap_or_default(),
        }
    }

    /// Allows only what the provider's bundle needs, from the configured origins.
    fn sources_of(chat: &ChatSettings) -> ExtraSources {
        let provider = chat.script_url.origin().ascii_serialization();
        let runtime = chat.runtime_url.origin().ascii_serialization();
        ExtraSources {
            script: vec![provider.clone()],
            style: vec![provider.clone(), EMPTY_STYLE.into()],
            connect: vec![runtime],
            img: vec!["data:".into(), provider],
        }
    }

    /// Each encoding of a file as served, uncompressed first.
    pub fn bodies(&self, file: &File) -> Vec<Body> {
        if !file.is_html() || self.html.is_empty() {
            return file.bodies.clone();
        }
        let html = file.text();
        let html = html.replacen("</head>", &format!("{}</head>", self.html), 1);
        let encoded = [
            (Encoding::Brotli, brotli(html.as_bytes())),
            (Encoding::Gzip, gzip(html.as_bytes())),
        ];
        let plain = (Encoding::Identity, html.into_bytes());
        let body = |(encoding, bytes): (Encoding, Vec<u8>)| Body {
            encoding,
            tag: tag(&bytes),
            bytes: bytes.into(),
        };
        std::iter::once(plain).chain(encoded).map(body).collect()
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
    use super::super::release::{Release, built};
    use super::*;
    use crate::config::ChatLoad;

    fn injection(script: &str, runtime: &str) -> HeadInjection {
        let chat = ChatSettings {
            project_id: "p-1".into(),
            script_url: script.parse().unwrap(),
            runtime_url: runtime.parse().unwrap(),
            load: ChatLoad::Load,
        };
        HeadInjection::new(Some(&chat), true)
    }

    #[test]
    fn the_tag_carries_the_settings_and_no_markup_of_theirs() {
        let head = injection(
            "https://cdn.example/b.mjs?a=1&b=\"{{",
            "http://127.0.0.1:1/",
        );
        assert_eq!(
            head.html.replace("&quot;", "'"),
            "<meta name=\"settings\" content=\"\
             &#123;'chat':&#123;'load':'load','project':'p-1','runtime':'http://127.0.0.1:1',\
             'script':'https://cdn.example/b.mjs?a=1&amp;b=%22&#123;&#123;'}}\">"
        );
        assert_eq!(HeadInjection::new(None, true).html, "");
        let off = HeadInjection::new(None, false);
        assert!(off.html.ends_with("\"&#123;&quot;uncounted&quot;:true}\">"));
    }

    #[test]
    fn brotli_carries_the_same_page_under_a_tag_of_its_own() {
        let site = Release::built_in(built()).unwrap();
        let home = site.editions()[0].file("/").expect("there is a home page");
        let head = injection("https://cdn.example/b.mjs", "http://127.0.0.1:1/");
        let bodies = head.bodies(home);
        let plain = String::from_utf8(bodies[0].bytes.to_vec()).unwrap();
        assert!(plain.contains(&format!("{}</head>", head.html)));
        let mut unpacked = Vec::new();
        brotli::BrotliDecompress(&mut &*bodies[1].bytes, &mut unpacked).unwrap();
        assert_eq!(unpacked, plain.as_bytes());
        assert_ne!(bodies[0].tag, home.bodies[0].tag);
        assert_ne!(bodies[0].tag, bodies[1].tag);
    }
}
