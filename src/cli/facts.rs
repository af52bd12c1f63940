//! What the site says of itself, for commands: the facts of the release that is
//! shown, not those that the program was compiled with.

use crate::config::Settings;
use crate::content::Facts;
use crate::http::Release;
use crate::store::{OpenMode, Store, StoreError};

/// Those of the release that is published in this database.
pub async fn of(store: &Store) -> Result<(), StoreError> {
    let facts = store.release_facts().await?;
    // What cannot be read is told by `check`, and by the server.
    if let Some(facts) = facts.and_then(|json| serde_json::from_str::<Facts>(&json).ok()) {
        facts.hold();
    }
    Ok(())
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
