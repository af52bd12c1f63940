//! Dependencies between the files of `src` go one way: to lower layers of the program, and in no
//! circle.
//!
//! A dependency is a path that begins with `crate::` or `super::`, in a `use` or in the code. It
//! ends at the file that defines the item, also when a `mod.rs` re-exports it. A `mod.rs` may use
//! its own files freely; tests may use anything.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::path::Path;

/// The lowest first. A file belongs to the longest name it begins with, and
/// uses its own layer and those before it.
const LAYERS: [&str; 26] = [
    "html",
    "histogram",
    "content",
    "domain",
    "spam",
    "calls",
    "store",
    "lead_facts",
    "config",
    "upkeep",
    "alive",
    "listener",
    "logging",
    "mail",
    "outbox",
    "newsletter",
    "notices",
    "http/edge",
    "http/site",
    "http/ops",
    "http/forms",
    "http",
    "server",
    "cli",
    "lib",
    "main",
];

type Module = Vec<String>;

/// The files by their modules, without what is only for tests.
struct SourceTree(BTreeMap<Module, String>);

impl SourceTree {
    fn read() -> Self {
        let mut tree = Self(BTreeMap::new());
        tree.add(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &[]);
        tree
    }

    fn add(&mut self, folder: &Path, module: &[String]) {
        for entry in fs::read_dir(folder).expect("a folder of the program") {
            let path = entry.expect("a file of the program").path();
            let name = path.file_stem().and_then(|name| name.to_str());
            let name = name.expect("a name in plain letters");
            let inner = [module, &[name.to_owned()]].concat();
            if path.is_dir() {
                self.add(&path, &inner);
            } else if !name.ends_with("tests") {
                let text = fs::read_to_string(&path).expect("text");
                let is_root = matches!(name, "mod" | "lib");
                let module = if is_root { module } else { &inner };
                self.0.insert(module.to_vec(), code(&text));
            }
        }
    }

    /// What each file depends on.
    fn dependencies(&self) -> BTreeMap<String, BTreeSet<String>> {
        let name = |module: &Module| match module.is_empty() {
            true => "lib".to_owned(),
            false => module.join("/"),
        };
        let ends = |(module, text): (&Module, &String)| {
            let paths = paths(text, &["crate", "super"]).into_iter();
            let ends = paths.map(|path| self.owner(&absolute(module, &path)));
            let ends = ends.filter(|end| end != module).map(|end| name(&end));
            (name(module), ends.collect())
        };
        self.0.iter().map(ends).collect()
    }

    /// The file that defines what this path names.
    fn owner(&self, path: &[String]) -> Module {
        let is_file = |length: &usize| self.0.contains_key(&path[..*length]);
        let length = (0..=path.len()).rev().find(is_file).unwrap_or_default();
        let module = path[..length].to_vec();
        let re_exported = path
            .get(length)
            .and_then(|item| self.re_exported(&module, item));
        re_exported.unwrap_or(module)
    }

    /// The file that defines an item which a module re-exports.
    fn re_exported(&self, module: &Module, item: &str) -> Option<Module> {
        let uses = self.0.get(module)?.split(';').filter_map(|item| {
            let (before, used) = item.rsplit_once("use ")?;
            let before = before.trim_end();
            (before.ends_with("pub") || before.ends_with(')')).then_some(used)
        });
        let end = |path: Vec<String>| {
            let path = match path[0].as_str() {
                "crate" | "super" => absolute(module, &path),
                "self" => [module, &path[1..]].concat(),
                _ => [module, &path[..]].concat(),
            };
            let (last, parent) = path.split_last()?;
            let all_of_it = last == "*" && self.defines(parent, item);
            let itself = last == item && parent != module;
            match itself {
                true => Some(self.owner(&path)),
                false => all_of_it.then(|| parent.to_vec()),
            }
        };
        uses.flat_map(tree).find_map(end)
    }

    fn defines(&self, module: &[String], item: &str) -> bool {
        let kinds = ["struct", "enum", "trait", "fn", "const", "static", "type"];
        let text = self.0.get(module).map_or("", String::as_str);
        kinds.iter().any(|kind| {
            let definition = format!("{kind} {item}");
            let mut found = text.split(&definition).skip(1);
            found.any(|after| !after.starts_with(is_word))
        })
    }
}

/// Without comments and tests, which come last.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Every path that begins with one of these words.
fn paths(text: &str, beginnings: &[&str]) -> Vec<Vec<String>> {
    let begins = |beginning: &&str| format!("{beginning}::");
    let places = beginnings.iter().map(begins).flat_map(|beginning| {
        let places = text.match_indices(&beginning).map(|(at, _)| at);
        places.collect::<Vec<_>>()
    });
    let alone = places.filter(|at| !text[..*at].ends_with(|c| is_word(c) || c == ':'));
    alone.flat_map(|at| tree(&text[at..])).collect()
}

/// The paths of a `use`, its braces spelled out.
fn tree(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    branch(text, &[], &mut found);
    found
}

/// Returns what follows the branch.
fn branch<'a>(text: &'a str, stem: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let text = text.trim_start();
    if let Some(mut rest) = text.strip_prefix('{') {
        while !rest.trim_start().is_empty() && !rest.trim_start().starts_with('}') {
            rest = branch(rest, stem, found);
            rest = rest.find([',', '}']).map_or("", |at| &rest[at..]);
            rest = rest.strip_prefix(',').unwrap_or(rest);
        }
        return rest.trim_start().strip_prefix('}').unwrap_or_default();
    }
    let length = text.find(|c| !is_word(c) && c != '*').unwrap_or(text.len());
    let (word, rest) = text.split_at(length);
    let stem = match word {
        "self" if !stem.is_empty() => stem.to_vec(),
        word => [stem, &[word.to_owned()]].concat(),
    };
    match rest.strip_prefix("::") {
        Some(rest) => branch(rest, &stem, found),
        None => {
            found.push(stem);
            rest
        }
    }
}

fn absolute(module: &[String], path: &[String]) -> Vec<String> {
    let up = path.iter().take_while(|word| *word == "super").count();
    match path[0] == "crate" {
        true => path[1..].to_vec(),
        false => [&module[..module.len() - up], &path[up..]].concat(),
    }
}

/// The shortest way from a file back to itself.
fn circle(dependencies: &BTreeMap<String, BTreeSet<String>>, start: &str) -> Option<Vec<String>> {
    let mut ways = VecDeque::from([vec![start.to_owned()]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = ways.pop_front() {
        for next in dependencies.get(way.last()?).into_iter().flatten() {
            let longer = [&way[..], std::slice::from_ref(next)].concat();
            if next == start {
                return Some(longer);
            }
            if seen.insert(next) {
                ways.push_back(longer);
            }
        }
    }
    None
}

fn layer(file: &str) -> usize {
    let rest = |name: &str| {
        file.strip_prefix(name)
            .map(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    let layers = LAYERS
        .iter()
        .enumerate()
        .filter(|(_, name)| rest(name) == Some(true));
    let layer = layers.max_by_key(|(_, name)| name.len());
    layer
        .unwrap_or_else(|| panic!("src/{file} has no layer: give it one in LAYERS"))
        .0
}

#[test]
fn no_file_of_the_program_depends_on_itself_through_others() {
    let dependencies = SourceTree::read().dependencies();
    let circles = dependencies
        .keys()
        .filter_map(|file| circle(&dependencies, file));
    // Each is reported once, from its first file on.
    let first = |circle: &Vec<String>| circle.iter().min() == circle.first();
    let circles: Vec<_> = circles
        .filter(first)
        .map(|circle| circle.join(" → "))
        .collect();
    assert!(
        circles.is_empty(),
        "import circles:\n{}",
        circles.join("\n")
    );
}

#[test]
fn every_file_uses_its_own_layer_and_lower_ones_only() {
    let dependencies = SourceTree::read().dependencies();
    let dependencies = dependencies
        .iter()
        .flat_map(|(from, to)| to.iter().map(move |to| (from, to)));
    let upward = dependencies.filter(|(from, to)| layer(from) < layer(to));
    let upward: Vec<_> = upward.map(|(from, to)| format!("{from} → {to}")).collect();
    assert!(
        upward.is_empty(),
        "upward dependencies:\n{}",
        upward.join("\n")
    );
}

#[test]
fn paths_are_read_out_of_nested_braces_and_out_of_code() {
    let text = "use super::{a, b::{self, C as D, e::*},};\nlet x = crate::f::g(my_crate::h);";
    let read = paths(text, &["crate", "super"]).into_iter();
    let read: Vec<_> = read.map(|path| path.join("::")).collect();
    let expected = [
        "crate::f::g",
        "super::a",
        "super::b",
        "super::b::C",
        "super::b::e::*",
    ];
    assert_eq!(read, expected);
}
