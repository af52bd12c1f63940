//! The facts of the site (name, addresses, texts, time zone) that commands use. They come from the
//! release that is shown, not from the one that the program was compiled with.

use anyhow::{Result, bail};

use crate::config::SiteSettings;
use crate::content::SiteFacts;
use crate::http::Release;
use crate::store::{Store, StoreError};

/// Uses the facts of the release that is published in this database. Facts that can't be read are
/// no error here: most commands need only the time zone.
pub async fn use_published(store: &Store) -> Result<(), StoreError> {
    let facts = store.release_facts().await?;
    match facts.map(|json| serde_json::from_str::<SiteFacts>(&json)) {
        Some(Ok(facts)) => facts.make_current(),
        Some(Err(_)) => SiteFacts::record_unreadable(),
        None => {}
    }
    Ok(())
}

/// For a command that speaks in the name of the site: uses the facts of the release that the
/// settings name, or else those of the database, and fails if they can't be read.
pub fn require(site: &SiteSettings) -> Result<()> {
    if let Some(path) = &site.release {
        Release::open(path)?.facts.make_current();
    }
    SiteFacts::unreadable().map_or(Ok(()), |reason| bail!(reason))
}
