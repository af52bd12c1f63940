//! A first visit stays light, whatever the owner writes: the limits of
//! `contract/budget.json`. Those of our own pages are tighter
//! (`web/build/budget.test.ts`).

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::super::negotiate::Encoding;
use super::super::release::{Edition, File};
use super::markup::values;

/// In bytes of brotli.
#[derive(Deserialize)]
struct Budget {
    page: usize,
    /// What a page asks for by itself.
    script: usize,
    fonts: usize,
    /// All that comes before the visitor does anything, but for pictures.
    at_load: usize,
}

static BUDGET: LazyLock<Budget> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../../../../contract/budget.json"))
        .expect("contract/budget.json is checked by a unit test")
});

pub fn faults(edition: &Edition) -> Vec<String> {
    let fonts = edition
        .served()
        .filter(|file| file.content_type == "font/woff2");
    let fonts: usize = fonts.map(weight).sum();
    let mut faults = Vec::from_iter(over("the fonts", fonts, BUDGET.fonts));
    for page in edition.files.iter().filter(|file| file.is_html()) {
        let (html, script) = (weight(page), script(edition, page));
        let path = &page.path;
        faults.extend(over(&format!("{path}: its HTML"), html, BUDGET.page));
        faults.extend(over(&format!("{path}: its script"), script, BUDGET.script));
        let all = html + script + fonts;
        faults.extend(over(
            &format!("{path}: with its fonts and its script"),
            all,
            BUDGET.at_load,
        ));
    }
    faults
}

fn over(what: &str, bytes: usize, most: usize) -> Option<String> {
    (bytes > most).then(|| format!("{what}: {bytes} bytes compressed, at most {most} are allowed"))
}

/// As it is sent to a browser.
fn weight(file: &File) -> usize {
    let brotli = file
        .bodies
        .iter()
        .find(|body| body.encoding == Encoding::Brotli);
    brotli.unwrap_or(&file.bodies[0]).bytes.len()
}

/// What the page asks for by itself, with all that is imported on the way.
fn script(edition: &Edition, page: &File) -> usize {
    let mut found = BTreeMap::new();
    let mut open: Vec<String> = values(&page.text(), "data-entry")
        .map(str::to_owned)
        .collect();
    while let Some(path) = open.pop() {
        let Some(file) = edition.file(&path).filter(|_| !found.contains_key(&path)) else {
            continue;
        };
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let imported = imports(&file.text())
            .map(|name| format!("{folder}/{name}"))
            .collect::<Vec<_>>();
        open.extend(imported);
        found.insert(path, weight(file));
    }
    found.values().sum()
}

/// `from"./x.js"` and `import"./x.js"`, as the bundler writes them; what is only
/// loaded later is called with a bracket.
fn imports(code: &str) -> impl Iterator<Item = &str> {
    let starts = ["from\"./", "import\"./"];
    let pieces = starts
        .into_iter()
        .flat_map(move |start| code.split(start).skip(1));
    pieces.filter_map(|piece| piece.split('"').next())
}

#[cfg(test)]
mod tests {
    use super::super::super::release::{Release, built};
    use super::*;

    #[test]
    fn imports_are_told_from_what_is_loaded_later() {
        let code = "import{a}from\"./b.js\";import\"./c.js\";const d=()=>import(\"./e.js\")";
        assert_eq!(imports(code).collect::<Vec<_>>(), ["b.js", "c.js"]);
    }

    #[test]
    fn what_the_web_build_makes_is_weighed_and_light_enough() {
        let release = Release::carried(built()).unwrap();
        let edition = &release.editions()[0];
        assert_eq!(faults(edition), Vec::<String>::new());
        let home = edition.file("/").unwrap();
        assert!(weight(home) > 5_000 && script(edition, home) > 1_000);
    }
}
