//! What a release must be like before anything of it is served.

use std::collections::HashSet;

use anyhow::{bail, ensure};

use super::edition::{Edition, File, Kind};
use crate::http::site::negotiate::Encoding;

/// What is put into headers and the log as it is must be fit for them.
pub fn check(file: &File) -> anyhow::Result<()> {
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

pub fn check_order(editions: &[Edition]) -> anyhow::Result<()> {
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
