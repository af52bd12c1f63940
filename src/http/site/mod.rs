//! The pages: a [`PageTable`] is built from an edition of a release, with what
//! settings add to it, before anybody asks. `release_watcher` swaps the table
//! when another release is published.

pub mod head_injection;
pub mod release;
pub mod release_watcher;
pub mod resource;
pub mod review;
pub mod template;

use std::collections::HashMap;

use axum::body::Bytes;

use self::head_injection::HeadInjection;
use self::release::{Edition, Kind};
use self::resource::Resource;
use self::template::{PlaceName, Template};

/// Everything served by its path, and the templates beside it.
pub struct PageTable {
    by_path: HashMap<String, Resource>,
    not_found: Resource,
    post_not_found: Resource,
    pub contact_outcome: Template,
    pub newsletter: NewsletterPages,
}

/// What subscribers see outside the blog.
pub struct NewsletterPages {
    /// The form once more, with what is wrong and what was typed.
    pub refused: Template,
    pub accepted: Template,
    pub confirm: Template,
    pub confirmed: Template,
    pub unsubscribe: Template,
    pub unsubscribed: Template,
    /// For a link that leads nowhere, or nowhere any more.
    pub dead_link: Template,
    pub failed: Template,
}

/// A template's name, and the places that a handler fills in it. A template
/// that is not named has none.
pub type TemplateWords = (&'static str, Vec<PlaceName>);

impl PageTable {
    /// Refuses what this program cannot serve.
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

    /// Also serves the assets of another edition, for pages of it that are still
    /// open somewhere. Their bytes are copied, so that its release can be dropped.
    pub fn keep_assets(&mut self, other: &Edition, head: &HeadInjection) -> anyhow::Result<()> {
        for file in other.files.iter().filter(|file| file.kind == Kind::Asset) {
            if !self.by_path.contains_key(&file.path) {
                let mut file = file.clone();
                for body in &mut file.bodies {
                    body.bytes = Bytes::copy_from_slice(&body.bytes);
                }
                let asset = Resource::new(&file, head)?;
                self.by_path.insert(file.path, asset);
            }
        }
        Ok(())
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
