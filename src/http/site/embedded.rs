//! The built web site, as the build script put it into the binary.

/// What a file is for, and so how it is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

pub struct EmbeddedFile {
    pub path: &'static str,
    pub kind: Kind,
    pub content_type: &'static str,
    pub status: u16,
    pub script_hashes: &'static [&'static str],
    pub style_hashes: &'static [&'static str],
    pub preload: &'static [&'static str],
    /// As it is first, then each encoding.
    pub bodies: &'static [EmbeddedBody],
}

pub struct EmbeddedBody {
    pub encoding: Option<&'static str>,
    /// Differs with the bytes, and so with the encoding.
    pub tag: &'static str,
    pub bytes: &'static [u8],
}

include!(concat!(env!("OUT_DIR"), "/embedded_files.rs"));
