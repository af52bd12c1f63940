//! What `frontdoor check` says of the site: which release is shown, and whether
//! it can be.

use jiff::Timestamp;

use super::finding::{Finding, good, note, waiting};
use crate::config::Settings;
use crate::http::{self, HeadInjection, PageTable, Release};
use crate::store::{BUILT_IN, OpenMode, Store, StoreError, StoredRelease};

/// Of the one that the settings name. A server would not start without it.
pub fn given(settings: &Settings) -> Option<Result<Finding, String>> {
    let place = settings.site.release.as_ref()?;
    let opened = Release::open(place).and_then(|release| serve(&release, settings));
    Some(match opened {
        Ok(()) => Ok(good(format!("site {}", place.display()))),
        Err(error) => Err(format!("site: {error:#}")),
    })
}

/// Of the one that is published. None of it keeps a server from starting.
pub async fn published(settings: &Settings, carried: &'static [u8]) -> Result<Finding, StoreError> {
    let store = Store::open(&settings.database, OpenMode::Existing).await?;
    let stored = store.releases().await?;
    let finding = match stored.first().filter(|shown| shown.id != BUILT_IN) {
        Some(shown) => {
            let content = store.release_content(shown).await?;
            let read = content.map_err(anyhow::Error::msg);
            let read = read.and_then(|content| Release::read(&content));
            let served = read.and_then(|release| serve(&release, settings));
            of_published(shown, served, carried)
        }
        None => good("site: the release that the program carries"),
    };
    store.close().await?;
    Ok(finding)
}

fn of_published(
    shown: &StoredRelease,
    served: anyhow::Result<()>,
    carried: &'static [u8],
) -> Finding {
    let id = shown.id;
    if let Err(error) = served {
        return waiting(format!(
            "site: release {id} cannot be shown ({error:#}): frontdoor releases rollback"
        ));
    }
    let own = Release::carried(carried).map(|own| own.checksum);
    // Which of them is newer nobody can tell.
    let is_another = own.is_ok_and(|own| own != shown.carried && own != shown.checksum);
    match is_another {
        true => note(format!(
            "site: release {id} is shown; the program carries other pages than the one that \
            published it (to show them: frontdoor releases rollback built-in)"
        )),
        false => good(format!("site: release {id}")),
    }
}

fn serve(release: &Release, settings: &Settings) -> anyhow::Result<()> {
    let head = HeadInjection::new(settings.chat.as_ref());
    let (edition, _) = release.at(Timestamp::now());
    PageTable::build(edition, &head, &http::template_words()).map(drop)
}
