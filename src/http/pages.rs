//! The table of everything served by its path, and the templates beside it.

use std::collections::HashMap;

use super::embedded::Embedded;
use super::resource::Resource;
use super::shell::Shell;
use super::template::Template;

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

impl Pages {
    /// Makes the whole site ready to be sent.
    pub fn new(site: &Embedded, shell: &Shell) -> anyhow::Result<Self> {
        let resource = |file| Resource::new(file, shell);
        Ok(Self {
            by_path: site
                .served()
                .map(|file| (file.path, resource(file)))
                .collect(),
            not_found: resource(site.template("not-found")?),
            post_not_found: resource(site.template("post-not-found")?),
            contact_outcome: Template::new(site.template("contact-outcome")?, shell),
            newsletter: NewsletterPages::new(site, shell)?,
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
    fn new(site: &Embedded, shell: &Shell) -> anyhow::Result<Self> {
        let page = |name: &str| {
            let file = site.template(&format!("newsletter-{name}"))?;
            anyhow::Ok(Template::new(file, shell))
        };
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
