//! Releases for tests: the real one, with small pages that name their release in text and asset.

use std::collections::BTreeMap;
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{CommandOutput, Database, site};

/// A release to be changed.
pub struct Draft {
    /// Facts and editions.
    pub list: Value,
    bodies: BTreeMap<String, Vec<u8>>,
}

impl Draft {
    /// As the web build made it.
    pub fn built() -> Self {
        let mut lines = site().splitn(3, |byte| *byte == b'\n');
        let list: Value = serde_json::from_slice(lines.nth(1).unwrap()).unwrap();
        let mut rest = lines.next().unwrap();
        let mut bodies = BTreeMap::new();
        for place in list["bodies"].as_array().unwrap() {
            let length = place["length"].as_u64().unwrap() as usize;
            let (body, after) = rest.split_at(length);
            bodies.insert(place["tag"].as_str().unwrap().to_owned(), body.to_vec());
            rest = after;
        }
        Self { list, bodies }
    }

    /// Pages and templates only. Every page contains this name twice, and an asset with this name.
    pub fn named(name: &str) -> Self {
        let mut draft = Self::built();
        draft.list["editions"].as_array_mut().unwrap().truncate(1);
        let is_needed = |file: &Value| file["kind"] == "page" || file["kind"] == "template";
        draft.files(0).retain(is_needed);
        draft.name_edition(0, name);
        let list = draft.list["editions"].to_string();
        draft.bodies.retain(|tag, _| list.contains(tag));
        draft
    }

    /// Adds an edition with pages of this name, from this time on.
    pub fn then(mut self, from: &str, name: &str) -> Self {
        let mut edition = self.list["editions"][0].clone();
        edition["from"] = from.into();
        let editions = self.list["editions"].as_array_mut().unwrap();
        editions.push(edition);
        let last = editions.len() - 1;
        self.name_edition(last, name);
        self
    }

    fn name_edition(&mut self, edition: usize, name: &str) {
        let asset = asset(name);
        for path in self.pages(edition) {
            let html = self.text(edition, &path);
            let ids = html
                .split(" id=\"")
                .skip(1)
                .filter_map(|id| id.split('"').next());
            let ids: String = ids.map(|id| format!("<i id=\"{id}\"></i>")).collect();
            let html = format!(
                "<!doctype html><html><head><meta name=\"release\" content=\"{name}\"></head>\
                <body>{ids}<img src=\"{asset}\" alt=\"\"><p>{name}</p></body></html>"
            );
            self.set_page(edition, &path, &html);
        }
        let tag = self.add_body(format!("<svg>{name}</svg>").into_bytes());
        self.files(edition).push(json!({
            "path": asset, "kind": "asset", "type": "image/svg+xml", "status": 200,
            "scriptHashes": [], "styleHashes": [],
            "bodies": [{ "encoding": "identity", "tag": tag }],
        }));
    }

    pub fn pages(&mut self, edition: usize) -> Vec<String> {
        let files = self.files(edition).iter();
        let pages = files.filter(|file| file["kind"] == "page");
        pages
            .map(|page| page["path"].as_str().unwrap().to_owned())
            .collect()
    }

    pub fn files(&mut self, edition: usize) -> &mut Vec<Value> {
        self.list["editions"][edition]["files"]
            .as_array_mut()
            .unwrap()
    }

    pub fn file(&mut self, edition: usize, path: &str) -> &mut Value {
        let mut files = self.files(edition).iter_mut();
        files.find(|file| file["path"] == path).unwrap()
    }

    pub fn text(&mut self, edition: usize, path: &str) -> String {
        let tag = self.file(edition, path)["bodies"][0]["tag"].clone();
        let bytes = self.bodies[tag.as_str().unwrap()].clone();
        String::from_utf8(bytes).unwrap()
    }

    /// Replaces a page with HTML that has no inline styles or scripts.
    pub fn set_page(&mut self, edition: usize, path: &str, html: &str) {
        let tag = self.add_body(html.as_bytes().to_vec());
        let page = self.file(edition, path);
        page["bodies"] = json!([{ "encoding": "identity", "tag": tag }]);
        page["styleHashes"] = json!([]);
        page["scriptHashes"] = json!([]);
    }

    pub fn add_body(&mut self, bytes: Vec<u8>) -> String {
        let tag = URL_SAFE_NO_PAD.encode(&Sha256::digest(&bytes)[..12]);
        self.bodies.insert(tag.clone(), bytes);
        tag
    }

    /// The content of its file.
    pub fn bytes(&self) -> Vec<u8> {
        let mut list = self.list.clone();
        let place =
            |(tag, bytes): (&String, &Vec<u8>)| json!({ "tag": tag, "length": bytes.len() });
        list["bodies"] = self.bodies.iter().map(place).collect();
        let mut content = format!("{list}\n").into_bytes();
        for body in self.bodies.values() {
            content.extend_from_slice(body);
        }
        let checksum = Sha256::digest(&content);
        let checksum: String = checksum.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut bytes = format!("frontdoor release 1 sha256 {checksum}\n").into_bytes();
        bytes.extend(content);
        bytes
    }

    /// Published by the command.
    pub fn offer(&self, database: &Database) -> CommandOutput {
        let file = self.write(database, "next.pack");
        database.run(&["publish", file.to_str().unwrap()])
    }

    /// Written beside the database.
    pub fn write(&self, database: &Database, file: &str) -> PathBuf {
        let path = database.path(file);
        std::fs::write(&path, self.bytes()).unwrap();
        path
    }
}

/// The asset that pages of this name ask for.
pub fn asset(name: &str) -> String {
    format!("/assets/{name}-1.svg")
}

/// The name of the release that a page, with its asset and text, belongs to.
pub fn name_of(html: &str) -> &str {
    let between = |start: &str, end: &str| {
        let after = html.split_once(start).map_or("", |(_, after)| after);
        after.split(end).next().unwrap_or_default()
    };
    let name = between("<meta name=\"release\" content=\"", "\"");
    if html.contains("-1.svg\"") {
        assert_eq!(between("src=\"/assets/", "-1.svg"), name, "{html}");
        assert_eq!(between("<p>", "</p>"), name, "{html}");
    }
    name
}
