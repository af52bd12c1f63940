//! From a release to pages: with what the settings add, and the words that
//! handlers will give to its templates.

use std::sync::Arc;

use super::pages::{Pages, TemplateWords};
use super::release::{Edition, Release, StoredAsset};
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
    pub fn print(&self, edition: &Edition) -> anyhow::Result<Pages> {
        Pages::new(edition, &self.shell, &self.words)
    }

    /// With the assets of what is held in any case, and of those before, which are
    /// not.
    pub fn print_with(
        &self,
        edition: &Edition,
        held: &Release,
        earlier: Vec<StoredAsset>,
    ) -> anyhow::Result<Pages> {
        let mut pages = self.print(edition)?;
        for edition in held.editions() {
            pages.keep_assets(edition, &self.shell)?;
        }
        pages.know_assets(earlier, self.shell.clone());
        Ok(pages)
    }
}
