//! Every file in `src` uses only its own layer of the program and lower ones.
//!
//! A dependency is a path that begins with `crate::` or `super::`, in a `use` or in the code. Tests
//! may use anything.

use std::fs;
use std::path::Path;

/// The lowest first. A file or an item belongs to the longest of these names that its path begins
/// with, otherwise to the library itself.
const LAYERS: &str = "html csv histogram content domain spam calls store lead_fields config upkeep \
    alive listener logging mail outbox newsletter notices http/edge http/site http/ops http/request \
    http/forms http check desk server cli lib main";

type Module = Vec<String>;

/// The files by their modules, without comments and tests.
fn files(folder: &Path, module: &[String]) -> Vec<(Module, String)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the program") {
        let path = entry.expect("a file of the program").path();
        let name = path.file_stem().and_then(|name| name.to_str());
        let name = name.expect("a name in plain letters").to_owned();
        let is_root = name == "mod";
        let inner = [module, std::slice::from_ref(&name)].concat();
        if path.is_dir() {
            files.extend(self::files(&path, &inner));
        } else if !name.ends_with("tests") {
            let text = fs::read_to_string(&path).expect("text");
            // Tests come last.
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_code = |line: &&str| !line.trim_start().starts_with("//");
            let code: Vec<_> = text.lines().filter(is_code).collect();
            let module = if is_root { module.to_vec() } else { inner };
            files.push((module, code.join("\n")));
        }
    }
    files
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Every path that begins with `crate` or `super`, up to its first brace: what is imported within
/// braces counts as a part of the module before them.
fn paths(text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    for beginning in ["crate::", "super::"] {
        let places = text.match_indices(beginning).map(|(at, _)| at);
        for at in places.filter(|at| !text[..*at].ends_with(|c| is_word(c) || c == ':')) {
            let path = text[at..].split(|c| !is_word(c) && c != ':').next();
            let words = path.unwrap_or_default().split("::");
            let words = words.filter(|word| !word.is_empty());
            found.push(words.map(str::to_owned).collect());
        }
    }
    found
}

fn absolute(module: &[String], path: &[String]) -> Module {
    let up = path.iter().take_while(|word| *word == "super").count();
    match path[0] == "crate" {
        true => path[1..].to_vec(),
        false => [&module[..module.len() - up], &path[up..]].concat(),
    }
}

fn layer(module: &[String]) -> Option<usize> {
    let path = format!("{}/", module.join("/"));
    let names = LAYERS.split_whitespace().enumerate();
    let begun = names.filter(|(_, name)| path.starts_with(&format!("{name}/")));
    let longest = begun.max_by_key(|(_, name)| name.len());
    longest.map(|(layer, _)| layer)
}

#[test]
fn every_file_uses_its_own_layer_and_lower_ones_only() {
    let library = layer(&["lib".to_owned()]).expect("it is among the layers");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut upward = Vec::new();
    for (module, code) in files(&source, &[]) {
        let own = layer(&module);
        let own = own.unwrap_or_else(|| panic!("{module:?} has no layer: give it one in LAYERS"));
        let used = paths(&code)
            .into_iter()
            .map(|path| absolute(&module, &path));
        let higher = used.filter(|used| layer(used).unwrap_or(library) > own);
        upward.extend(higher.map(|used| format!("{} → {}", module.join("/"), used.join("/"))));
    }
    assert!(
        upward.is_empty(),
        "upward dependencies:\n{}",
        upward.join("\n")
    );
}
