//! The pages: a [`PageTable`] is built in advance from an edition of a release and the settings.
//! `release_watcher` swaps the table when another release is published.

pub mod head_injection;
pub mod release;
pub mod release_list;
pub mod release_watcher;
pub mod resource;

use axum::body::Bytes;
use hashbrown::HashMap;
use lettre::Address;
use serde_json::Value;

use self::head_injection::HeadInjection;
use self::release::{Body, Edition, File, Kind, Release};
use self::resource::{Placeholder, Resource, Template};

/// All pages, assets and documents by path, and the templates.
pub struct PageTable {
    by_path: HashMap<String, Resource>,
    not_found: Resource,
    post_not_found: Resource,
    templates: HashMap<&'static str, Template>,
}

/// A template's name and the placeholders that its handler fills in.
pub type TemplatePlaceholders = (&'static str, Vec<Placeholder>);

impl PageTable {
    /// Fails if this program can't serve the edition.
    pub fn build(
        edition: &Edition,
        head: &HeadInjection,
        used: &[TemplatePlaceholders],
    ) -> anyhow::Result<Self> {
        let template = |(name, placeholders): &TemplatePlaceholders| {
            let template = Template::new(edition.template(name)?, head, placeholders)?;
            Ok((*name, template))
        };
        let resource = |file: &File| Ok((file.path.clone(), Resource::new(file, head)?));
        Ok(Self {
            by_path: edition
                .served()
                .map(resource)
                .collect::<anyhow::Result<_>>()?,
            not_found: Resource::new(edition.template("not-found")?, head)?,
            post_not_found: Resource::new(edition.template("post-not-found")?, head)?,
            templates: used.iter().map(template).collect::<anyhow::Result<_>>()?,
        })
    }

    /// Also serves these assets, unless the release has its own of the same name: pages that refer
    /// to them may still be open in a browser.
    pub fn add_assets<'a>(
        &mut self,
        files: impl Iterator<Item = &'a File>,
        head: &HeadInjection,
    ) -> anyhow::Result<()> {
        for file in files {
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

    /// One of the templates that the table was built with.
    pub fn template(&self, name: &str) -> &Template {
        let template = self.templates.get(name);
        template.expect("handlers name only templates of `template_placeholders`")
    }

    pub fn missing(&self, path: &str) -> &Resource {
        let slug = path.strip_prefix("/blog/").unwrap_or_default();
        if slug.is_empty() || slug.contains('/') {
            return &self.not_found;
        }
        &self.post_not_found
    }
}

/// A copy that doesn't keep the release's whole file in memory.
fn copy(file: &File) -> File {
    let copied = |body: &Body| Body {
        bytes: Bytes::copy_from_slice(&body.bytes),
        ..body.clone()
    };
    File {
        bodies: file.bodies.iter().map(copied).collect(),
        ..file.clone()
    }
}

fn assets(release: &Release) -> impl Iterator<Item = &File> {
    let files = release.editions().iter().flat_map(|edition| &edition.files);
    files.filter(|file| file.kind == Kind::Asset)
}

/// The reasons not to publish a release, one per line: this program can't serve it, or mails can't
/// carry its texts. The web build checks everything else.
pub fn faults(release: &Release, templates: &[TemplatePlaceholders]) -> Vec<String> {
    let mut faults = Vec::new();
    if let Ok(texts) = serde_json::from_str(&release.facts_json) {
        add_control_characters("", &texts, &mut faults);
    }
    let email = &release.facts.site.email;
    if !email.is_ascii() || email.parse::<Address>().is_err() {
        faults.push(format!(
            "site.email: {email:?} can't send or receive mail: write another in content/site.toml"
        ));
    }
    let head = HeadInjection::default();
    let mut built = release
        .editions()
        .iter()
        .map(|edition| PageTable::build(edition, &head, templates));
    if let Some(error) = built.find_map(Result::err) {
        faults.push(format!("this program can't serve it: {error:#}"));
    }
    faults
}

/// Texts appear in mail headers, where a line break would start another header, and in output that
/// programs parse. Only the body of a mail may have several lines.
fn add_control_characters(name: &str, value: &Value, faults: &mut Vec<String>) {
    match value {
        Value::String(text) => {
            let has_lines = name.starts_with("mails.") && !name.ends_with(".subject");
            if text.contains(|c: char| c.is_control() && !(has_lines && c == '\n')) {
                faults.push(format!(
                    "{name}: has a line break or another control character"
                ));
            }
        }
        Value::Object(values) => {
            for (key, value) in values {
                let dot = if name.is_empty() { "" } else { "." };
                add_control_characters(&format!("{name}{dot}{key}"), value, faults);
            }
        }
        _ => {}
    }
}
