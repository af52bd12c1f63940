//! From a release to pages: with what the settings add, and the words that
//! handlers will give to its templates.

use std::sync::Arc;

use super::pages::{Pages, TemplateWords};
use super::release::{Edition, Release};
use super::shell::Shell;

#[derive(Clone)]
pub struct Press {
    shell: Arc<Shell>,
    words: Arc<[TemplateWords]>,
}

impl Press {
    pub fn new(shell: Shell, words: &[TemplateWords]) -> Self {
        Self {
            shell: Arc::new(shell),
            words: words.into(),
        }
    }

    /// Refuses what this program cannot serve.
    pub fn print(&self, edition: &Edition, earlier: &[Arc<Release>]) -> anyhow::Result<Pages> {
        let mut pages = Pages::new(edition, &self.shell, &self.words)?;
        for edition in earlier.iter().flat_map(|release| release.editions()) {
            pages.keep_assets(edition, &self.shell)?;
        }
        Ok(pages)
    }
}
