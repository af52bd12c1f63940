//! The table of everything served by its path, and the templates beside it.

use std::collections::HashMap;

use super::embedded::Embedded;
use super::resource::Resource;
use super::shell::Shell;
use super::template::{PlaceName, Template};

pub struct Pages {
    by_path: HashMap<&'static str, Resource>,
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
    pub fn new(site: &Embedded, shell: &Shell, words: &[TemplateWords]) -> anyhow::Result<Self> {
        let template = |name: &str| {
            let given = words.iter().find(|(known, _)| *known == name);
            let names = given.map_or(&[][..], |(_, names)| names);
            Template::new(site.template(name)?, shell, names)
        };
        Ok(Self {
            by_path: site
                .served()
                .map(|file| (file.path, Resource::new(file, shell)))
                .collect(),
            not_found: template("not-found")?.into_page(),
            post_not_found: template("post-not-found")?.into_page(),
            contact_outcome: template("contact-outcome")?,
            newsletter: NewsletterPages::new(|name| template(&format!("newsletter-{name}")))?,
        })
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
