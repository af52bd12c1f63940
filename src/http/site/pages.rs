//! The table of everything served by its path, and the templates beside it.

use std::collections::HashMap;
use std::sync::Arc;

use super::earlier::Earlier;
use super::release::{Edition, Kind, StoredAsset};
use super::resource::Resource;
use super::shell::Shell;
use super::template::{PlaceName, Template};

pub struct Pages {
    by_path: HashMap<String, Resource>,
    pub earlier: Earlier,
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

/// The names of the words that a template will be given. A template that is
/// not named here is given none.
pub type TemplateWords = (&'static str, Vec<PlaceName>);

impl Pages {
    /// Makes the whole site ready to be sent.
    pub fn new(site: &Edition, shell: &Shell, words: &[TemplateWords]) -> anyhow::Result<Self> {
        let template = |name: &str| {
            let given = words.iter().find(|(known, _)| *known == name);
            let names = given.map_or(&[][..], |(_, names)| names);
            Template::new(site.template(name)?, shell, names)
        };
        Ok(Self {
            by_path: site
                .served()
                .map(|file| Ok((file.path.clone(), Resource::new(file, shell)?)))
                .collect::<anyhow::Result<_>>()?,
            earlier: Earlier::default(),
            not_found: template("not-found")?.into_page(),
            post_not_found: template("post-not-found")?.into_page(),
            contact_outcome: template("contact-outcome")?,
            newsletter: NewsletterPages::new(|name| template(&format!("newsletter-{name}")))?,
        })
    }

    /// Also serves the assets of another edition, for pages of it that are still
    /// open somewhere.
    pub fn keep_assets(&mut self, other: &Edition, shell: &Shell) -> anyhow::Result<()> {
        for file in other.files.iter().filter(|file| file.kind == Kind::Asset) {
            if !self.by_path.contains_key(&file.path) {
                let asset = Resource::new(file, shell)?;
                self.by_path.insert(file.path.clone(), asset);
            }
        }
        Ok(())
    }

    /// Also finds these, which are not held.
    pub fn know_assets(&mut self, earlier: Vec<StoredAsset>, shell: Arc<Shell>) {
        let others = earlier
            .into_iter()
            .filter(|asset| !self.by_path.contains_key(&asset.file.path))
            .map(|asset| (asset.file.path.clone(), Arc::new(asset)));
        self.earlier = Earlier {
            assets: others.collect(),
            shell,
        };
    }

    pub fn get(&self, path: &str) -> Option<&Resource> {
        self.by_path.get(path)
    }

    /// The page for a path that leads nowhere.
    pub fn missing(&self, path: &str) -> &Resource {
        let slug = path.strip_prefix("/blog/").unwrap_or_default();
        if slug.is_empty() || slug.contains('/') {
            return &self.not_found;
        }
        &self.post_not_found
    }
}

impl NewsletterPages {
    fn new(page: impl Fn(&str) -> anyhow::Result<Template>) -> anyhow::Result<Self> {
        Ok(Self {
            refused: page("refused")?,
            accepted: page("accepted")?,
            confirm: page("confirm")?,
            confirmed: page("confirmed")?,
            unsubscribe: page("unsubscribe")?,
            unsubscribed: page("unsubscribed")?,
            dead_link: page("dead-link")?,
            failed: page("failed")?,
        })
    }
}
