//! The pages: a [`PageTable`] is built in advance from an edition of a release and the settings.
//! `release_watcher` swaps the table when another release is published.

pub mod head_injection;
pub mod release;
pub mod release_watcher;
pub mod resource;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use axum::body::Bytes;
use lettre::Address;
use serde_json::Value;

use self::head_injection::HeadInjection;
use self::release::{Edition, File, Kind, Release};
use self::resource::{PlaceholderName, Resource, Template};

/// Everything served by path, and the templates.
pub struct PageTable {
    by_path: HashMap<String, Resource>,
    earlier: EarlierAssets,
    not_found: Resource,
    post_not_found: Resource,
    templates: HashMap<&'static str, Template>,
}

/// By path.
pub type EarlierAssets = HashMap<String, Arc<EarlierAsset>>;

/// An asset of an earlier release, whose pages may still be open in a browser. Only its position is
/// kept in memory; its bytes are read from the database on request.
pub struct EarlierAsset {
    pub release: i64,
    /// Has empty bodies.
    pub file: File,
    /// The position of each body in the release's file.
    pub parts: Vec<Range<usize>>,
}

/// A template's name and the placeholders that its handler fills in.
pub type TemplateWords = (&'static str, Vec<PlaceholderName>);

impl PageTable {
    /// Fails if this program can't serve the edition.
    pub fn build(
        edition: &Edition,
        head: &HeadInjection,
        words: &[TemplateWords],
    ) -> anyhow::Result<Self> {
        let template = |(name, names): &TemplateWords| {
            let template = Template::new(edition.template(name)?, head, names)?;
            Ok((*name, template))
        };
        let resource = |file: &File| Ok((file.path.clone(), Resource::new(file, head)?));
        Ok(Self {
            by_path: edition
                .served()
                .map(resource)
                .collect::<anyhow::Result<_>>()?,
            earlier: HashMap::new(),
            not_found: Resource::new(edition.template("not-found")?, head)?,
            post_not_found: Resource::new(edition.template("post-not-found")?, head)?,
            templates: words.iter().map(template).collect::<anyhow::Result<_>>()?,
        })
    }

    /// Also serves the assets of the built-in release, whose bytes are in memory anyway.
    pub fn keep_own(&mut self, own: &Release, head: &HeadInjection) -> anyhow::Result<()> {
        for file in assets(own) {
            if !self.by_path.contains_key(&file.path) {
                let asset = Resource::new(file, head)?;
                self.by_path.insert(file.path.clone(), asset);
            }
        }
        Ok(())
    }

    pub fn get(&self, path: &str) -> Option<&Resource> {
        self.by_path.get(path)
    }

    /// One of those that the table was built with.
    pub fn template(&self, name: &str) -> &Template {
        let template = self.templates.get(name);
        template.expect("handlers name only templates of `template_words`")
    }

    /// The 404 page for a path.
    pub fn missing(&self, path: &str) -> &Resource {
        let slug = path.strip_prefix("/blog/").unwrap_or_default();
        if slug.is_empty() || slug.contains('/') {
            return &self.not_found;
        }
        &self.post_not_found
    }
}

impl EarlierAsset {
    /// The assets of a stored release; `content` is its file.
    pub fn all(release: i64, read: &Release, content: &Bytes) -> Vec<Self> {
        let place = |bytes: &Bytes| {
            let start = bytes.as_ptr() as usize - content.as_ptr() as usize;
            start..start + bytes.len()
        };
        let asset = |file: &File| {
            let parts = file.bodies.iter().map(|body| place(&body.bytes)).collect();
            let mut file = file.clone();
            file.bodies.iter_mut().for_each(|body| body.bytes.clear());
            Self {
                release,
                file,
                parts,
            }
        };
        assets(read).map(asset).collect()
    }
}

fn assets(release: &Release) -> impl Iterator<Item = &File> {
    let files = release.editions().iter().flat_map(|edition| &edition.files);
    files.filter(|file| file.kind == Kind::Asset)
}

/// The reasons not to publish a release, one per line: this program can't serve it, or mails can't
/// carry its facts. The web build checks everything else.
pub fn faults(release: &Release, words: &[TemplateWords]) -> Vec<String> {
    let mut faults = Vec::new();
    if let Ok(facts) = serde_json::from_str(&release.facts_json) {
        add_control_characters("", &facts, &mut faults);
    }
    let email = &release.facts.site.email;
    if !email.is_ascii() || email.parse::<Address>().is_err() {
        faults.push(format!(
            "no mail can go from or to the site's e-mail {email:?}"
        ));
    }
    let head = HeadInjection::default();
    let mut built = release
        .editions()
        .iter()
        .map(|edition| PageTable::build(edition, &head, words));
    if let Some(error) = built.find_map(Result::err) {
        faults.push(format!("this program cannot serve it: {error:#}"));
    }
    faults
}

/// Facts are used in mail headers, where a line break would start another header, and in output
/// that programs parse. Only the text of a mail may have several lines.
fn add_control_characters(name: &str, fact: &Value, faults: &mut Vec<String>) {
    match fact {
        Value::String(text) => {
            let has_lines = name.starts_with("mails.") && !name.ends_with(".subject");
            if text.contains(|c: char| c.is_control() && !(has_lines && c == '\n')) {
                faults.push(format!(
                    "{name}: has a line break or another control character"
                ));
            }
        }
        Value::Object(facts) => {
            for (key, fact) in facts {
                let dot = if name.is_empty() { "" } else { "." };
                add_control_characters(&format!("{name}{dot}{key}"), fact, faults);
            }
        }
        _ => {}
    }
}
