//! The policy of a page names the hash of each style and script that stands in
//! it, and no other: browsers leave out what it does not name.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::super::release::{Edition, File};
use super::markup::elements;

pub fn faults(edition: &Edition) -> Vec<String> {
    let pages = edition.files.iter().filter(|file| file.is_html());
    pages
        .flat_map(|page| [styles(page), scripts(page)])
        .flatten()
        .collect()
}

fn styles(page: &File) -> Option<String> {
    let html = page.text();
    let found = elements(&html, "style")
        .into_iter()
        .map(|(_, text)| hash(text));
    compare(page, "style", found.collect(), &page.style_hashes)
}

fn scripts(page: &File) -> Option<String> {
    let html = page.text();
    let runs = |attributes: &str| {
        // Data for others, and files, are no inline scripts.
        !attributes.contains(" src=\"") && !attributes.contains(" type=\"application/")
    };
    let found = elements(&html, "script").into_iter();
    let found = found.filter(|(attributes, _)| runs(attributes));
    let found = found.map(|(_, text)| hash(text));
    compare(page, "script", found.collect(), &page.script_hashes)
}

fn compare(page: &File, what: &str, found: BTreeSet<String>, named: &[String]) -> Option<String> {
    let named: BTreeSet<String> = named.iter().cloned().collect();
    let path = &page.path;
    let unnamed = found.difference(&named).count();
    let unfound = named.difference(&found).count();
    match (unnamed, unfound) {
        (0, 0) => None,
        (0, _) => Some(format!(
            "{path}: its policy names an inline {what} that is not in it"
        )),
        _ => Some(format!(
            "{path}: its policy does not name an inline {what} that is in it"
        )),
    }
}

fn hash(text: &str) -> String {
    format!(
        "sha256-{}",
        STANDARD.encode(Sha256::digest(text.as_bytes()))
    )
}
