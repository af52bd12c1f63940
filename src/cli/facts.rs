//! What the site says of itself, for commands: the facts of the release that is
//! shown, not those that the program was compiled with.

use anyhow::Context as _;

use super::Failure;
use crate::config::{Settings, SiteSettings};
use crate::content::Facts;
use crate::http::Release;
use crate::store::{BUILT_IN, OpenMode, Store, StoreError};

/// Those of the release that is published in this database.
pub async fn of(store: &Store) -> Result<(), StoreError> {
    let facts = store.release_facts().await?;
    match facts.map(|json| serde_json::from_str::<Facts>(&json)) {
        Some(Ok(facts)) => facts.hold(),
        // Told by `check`, by the server, and by whatever speaks in their name.
        Some(Err(_)) => Facts::note_unreadable(),
        None => {}
    }
    Ok(())
}

/// For a command that speaks to others in the name of the site: those that the settings
/// name, or those of the database. Ends it when nobody knows who that is.
pub fn in_force(site: &SiteSettings) -> Result<(), Failure> {
    if let Some(place) = &site.release {
        Release::open(place)?.facts.hold();
    }
    Facts::unreadable().map_or(Ok(()), |reason| Err(Failure::Failed(reason.into())))
}

/// The release whose facts these are. `None`: there is no database yet.
pub async fn release(
    site: &SiteSettings,
    carried: &'static [u8],
    store: Option<&Store>,
) -> Result<Release, Failure> {
    if let Some(place) = &site.release {
        return Ok(Release::open(place)?);
    }
    let Some(store) = store else {
        return Ok(Release::carried(carried)?);
    };
    let releases = store.releases().await?;
    let Some(shown) = releases.first().filter(|shown| shown.id != BUILT_IN) else {
        return Ok(Release::carried(carried)?);
    };
    let content = store.release_content(shown).await?;
    let read = content.map_err(anyhow::Error::msg);
    let read = read.and_then(|content| Release::read(&content));
    Ok(read.with_context(|| format!("release {} cannot be read", shown.id))?)
}

/// Those that a server with these settings shows. What goes wrong here is told by
/// whatever looks closer.
pub async fn shown(settings: &Settings) {
    if let Some(place) = &settings.site.release {
        if let Ok(release) = Release::open(place) {
            release.facts.hold();
        }
        return;
    }
    if let Ok(store) = Store::open(&settings.database, OpenMode::Existing).await {
        let _ = of(&store).await;
        let _ = store.close().await;
    }
}
