//! Every file in `src` uses only its own layer of the program and lower ones.
//!
//! A dependency is a path that begins with `crate::` or `super::`, in a `use` or in the code. Tests
//! may use anything.

use std::fs;
use std::path::{Path, PathBuf};

/// The lowest first. A file or an item belongs to the longest of these names that its path begins
/// with, otherwise to the library itself.
const LAYERS: &str = "html csv histogram content domain spam calls store lead_fields config upkeep \
    alive listener logging mail outbox newsletter notices http/edge http/site http/ops http/request \
    http/forms http check desk server cli lib main";

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder of the program");
    let paths = entries.map(|entry| entry.expect("a file of the program").path());
    let all = paths.map(|path| match path.is_dir() {
        true => files(&path),
        false => vec![path],
    });
    all.flatten().collect()
}

/// Where a path leads that stands in this module. What is imported within braces counts as a part of
/// the module before them.
fn absolute(module: &str, path: &str) -> String {
    let path: Vec<_> = path.split("::").filter(|word| !word.is_empty()).collect();
    let module: Vec<_> = module.split('/').collect();
    let up = path.iter().take_while(|word| **word == "super").count();
    match path[0] {
        "crate" => path[1..].join("/"),
        _ => [&module[..module.len() - up], &path[up..]]
            .concat()
            .join("/"),
    }
}

fn layer(path: &str) -> Option<usize> {
    let path = format!("{path}/");
    let names = LAYERS.split_whitespace().enumerate();
    let begun = names.filter(|(_, name)| path.starts_with(&format!("{name}/")));
    let longest = begun.max_by_key(|(_, name)| name.len());
    longest.map(|(layer, _)| layer)
}

#[test]
fn every_file_uses_its_own_layer_and_lower_ones_only() {
    let library = layer("lib").expect("it is among the layers");
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let mut upward = Vec::new();
    for file in files(source) {
        let place = file.strip_prefix(source).unwrap().with_extension("");
        let place = place.to_str().expect("a name in plain letters");
        if place.ends_with("tests") {
            continue;
        }
        let module = place.strip_suffix("/mod").unwrap_or(place);
        let own = layer(module);
        let own = own.unwrap_or_else(|| panic!("{module} has no layer: give it one in LAYERS"));
        let text = fs::read_to_string(&file).expect("text");
        // Tests come last.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        let code = code
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let words = code
            .flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_' && c != ':'));
        for path in words.filter(|word| word.starts_with("crate::") || word.starts_with("super::"))
        {
            let used = absolute(module, path);
            if layer(&used).unwrap_or(library) > own {
                upward.push(format!("{module} → {used}"));
            }
        }
    }
    assert!(upward.is_empty(), "upward dependencies: {upward:#?}");
}
