//! Puts the built web site into the binary.
//!
//! Reads `manifest.json` of the web build (`web/dist`, or the folder named by
//! `FRONTDOOR_DIST`) and writes a Rust table whose bodies are `include_bytes!`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// Content codings and the endings of their files, the best one first.
const ENCODINGS: [(&str, &str); 3] = [("br", "br"), ("zstd", "zst"), ("gzip", "gz")];

fn main() {
    if let Err(problem) = embed() {
        eprintln!("{problem}");
        process::exit(1);
    }
}

fn embed() -> Result<(), String> {
    println!("cargo::rerun-if-env-changed=FRONTDOOR_DIST");
    println!("cargo::rerun-if-changed=build.rs");
    let dist = dist_folder()?;
    let manifest = dist.join("manifest.json");
    println!("cargo::rerun-if-changed={}", manifest.display());
    let text = fs::read_to_string(&manifest)
        .map_err(|_| "the web site is not built yet: run `make web` first".to_owned())?;
    let json: Value =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", manifest.display()))?;
    let files = json["files"]
        .as_array()
        .ok_or("manifest.json: `files` is missing")?;

    let mut table = String::from("pub static FILES: &[EmbeddedFile] = &[\n");
    for file in files {
        table.push_str(&entry(&dist, file)?);
    }
    table.push_str("];\n");
    let out = PathBuf::from(env::var("OUT_DIR").map_err(|error| error.to_string())?);
    fs::write(out.join("embedded_files.rs"), table).map_err(|error| error.to_string())
}

fn dist_folder() -> Result<PathBuf, String> {
    let root = env::var("CARGO_MANIFEST_DIR").map_err(|error| error.to_string())?;
    let folder = env::var("FRONTDOOR_DIST").unwrap_or_else(|_| "web/dist".into());
    Ok(Path::new(&root).join(folder))
}

/// One line of the table, as Rust source.
fn entry(dist: &Path, file: &Value) -> Result<String, String> {
    let path = text(file, "path")?;
    let name = text(file, "file")?;
    let kind = match text(file, "kind")? {
        "page" => "Page",
        "asset" => "Asset",
        "document" => "Document",
        "template" => "Template",
        other => return Err(format!("manifest.json: {path}: unknown kind {other:?}")),
    };
    let known = texts(file, "encodings");
    let mut bodies = body(&dist.join(name), None)?;
    for (encoding, ending) in ENCODINGS {
        if known.contains(&encoding) {
            bodies += &body(&dist.join(format!("{name}.{ending}")), Some(encoding))?;
        }
    }
    let mut line = String::new();
    let _ = writeln!(
        line,
        "EmbeddedFile {{ path: {path:?}, kind: Kind::{kind}, content_type: {:?}, status: {}, \
         script_hashes: &{:?}, style_hashes: &{:?}, preload: &{:?}, bodies: &[{bodies}] }},",
        text(file, "type")?,
        file["status"].as_u64().unwrap_or(200),
        texts(file, "scriptHashes"),
        texts(file, "styleHashes"),
        texts(file, "preload"),
    );
    Ok(line)
}

fn body(file: &Path, encoding: Option<&str>) -> Result<String, String> {
    println!("cargo::rerun-if-changed={}", file.display());
    let bytes = fs::read(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let tag = URL_SAFE_NO_PAD.encode(&Sha256::digest(&bytes)[..12]);
    Ok(format!(
        "EmbeddedBody {{ encoding: {encoding:?}, tag: {tag:?}, bytes: include_bytes!({file:?}) }}, "
    ))
}

fn text<'a>(file: &'a Value, key: &str) -> Result<&'a str, String> {
    file[key]
        .as_str()
        .ok_or_else(|| format!("manifest.json: {file}: `{key}` is missing"))
}

fn texts<'a>(file: &'a Value, key: &str) -> Vec<&'a str> {
    let list = file[key].as_array().map(Vec::as_slice).unwrap_or_default();
    list.iter().filter_map(Value::as_str).collect()
}
