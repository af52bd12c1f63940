//! The pages: a [`PageTable`] is built in advance from an edition of a release and the settings.
//! `release_watcher` swaps the table when another release is published.

pub mod head_injection;
pub mod release;
pub mod release_watcher;
pub mod resource;
pub mod review;
pub mod template;

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use axum::body::Bytes;

use self::head_injection::HeadInjection;
use self::release::{Edition, File, Kind, Release};
use self::resource::Resource;
use self::template::{PlaceholderName, Template};

/// Everything served by path, and the templates.
pub struct PageTable {
    by_path: HashMap<String, Resource>,
    earlier: HashMap<String, Arc<EarlierAsset>>,
    not_found: Resource,
    post_not_found: Resource,
    pub contact_outcome: Template,
    pub newsletter: NewsletterPages,
}

/// An asset of an earlier release, whose pages may still be open in a browser. Only its position is
/// kept in memory; its bytes are read from the database on request.
pub struct EarlierAsset {
    pub release: i64,
    /// Has empty bodies.
    pub file: File,
    /// The position of each body in the release's file.
    pub parts: Vec<Range<usize>>,
}

/// The newsletter's pages outside the blog.
pub struct NewsletterPages {
    /// The form again, with the error and the entered text.
    pub refused: Template,
    pub accepted: Template,
    pub confirm: Template,
    pub confirmed: Template,
    pub unsubscribe: Template,
    pub unsubscribed: Template,
    /// For an unknown or expired link.
    pub dead_link: Template,
    pub failed: Template,
}

/// A template's name and the placeholders that its handler fills in. Templates not listed have
/// none.
pub type TemplateWords = (&'static str, Vec<PlaceholderName>);

impl PageTable {
    /// Fails if this program can't serve the edition.
    pub fn build(
        edition: &Edition,
        head: &HeadInjection,
        words: &[TemplateWords],
    ) -> anyhow::Result<Self> {
        let template = |name: &str| {
            let given = words.iter().find(|(known, _)| *known == name);
            let names = given.map_or(&[][..], |(_, names)| names);
            Template::new(edition.template(name)?, head, names)
        };
        let newsletter = |name: &str| template(&format!("newsletter-{name}"));
        let resource = |name: &str| Resource::new(edition.template(name)?, head);
        Ok(Self {
            by_path: edition
                .served()
                .map(|file| Ok((file.path.clone(), Resource::new(file, head)?)))
                .collect::<anyhow::Result<_>>()?,
            earlier: HashMap::new(),
            not_found: resource("not-found")?,
            post_not_found: resource("post-not-found")?,
            contact_outcome: template("contact-outcome")?,
            newsletter: NewsletterPages {
                refused: newsletter("refused")?,
                accepted: newsletter("accepted")?,
                confirm: newsletter("confirm")?,
                confirmed: newsletter("confirmed")?,
                unsubscribe: newsletter("unsubscribe")?,
                unsubscribed: newsletter("unsubscribed")?,
                dead_link: newsletter("dead-link")?,
                failed: newsletter("failed")?,
            },
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

    pub fn keep_earlier(&mut self, earlier: Vec<EarlierAsset>) {
        for asset in earlier {
            let path = asset.file.path.clone();
            self.earlier.entry(path).or_insert_with(|| Arc::new(asset));
        }
    }

    pub fn earlier(&self, path: &str) -> Option<Arc<EarlierAsset>> {
        self.earlier.get(path).cloned()
    }

    pub fn get(&self, path: &str) -> Option<&Resource> {
        self.by_path.get(path)
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
