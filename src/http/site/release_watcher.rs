//! Keeps the pages up to date with the published release. It polls when the store wakes it, and
//! every second otherwise. It also switches to the next edition of a release when that edition
//! starts.
//!
//! After a replica switches, its pages refer to assets that another replica may not have yet, so a
//! request for an unknown asset polls first ([`ReleaseWatcher::refresh`]).

use std::collections::HashSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use jiff::Timestamp;
use tokio::sync::Mutex;
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::head_injection::HeadInjection;
use super::release::{File, Release};
use super::{PageTable, TemplatePlaceholders, assets, copy};
use crate::content::SiteFacts;
use crate::store::{BUILT_IN, Store, StoreError, StoredRelease};

/// How often to poll: another process may publish a release without waking this one.
const POLL: Duration = Duration::from_secs(1);
/// The shortest time between two polls, however often the store wakes the watcher.
const PAUSE: Duration = Duration::from_millis(100);
/// The time between two attempts to build an edition.
const EDITION_PAUSE: Duration = Duration::from_secs(60);
/// How long a request waits for a poll.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many earlier releases' assets are still served.
const EARLIER: usize = 2;

pub struct ReleaseWatcher {
    pages: ArcSwap<PageTable>,
    releases: Releases,
    shown: Mutex<ShownRelease>,
}

/// Where releases come from, and how their pages are built.
struct Releases {
    store: Store,
    /// Whether the release of the settings is served, whatever is published.
    is_fixed: bool,
    /// The release of the settings, or the built-in one, which is served while none is published.
    built_in: Arc<Release>,
    head: Arc<HeadInjection>,
    templates: Arc<[TemplatePlaceholders]>,
}

/// The release whose pages are served.
struct ShownRelease {
    /// The turn of the last release that was read, whether or not it could be shown.
    turn: i64,
    id: i64,
    release: Arc<Release>,
    /// Assets of the releases before, which pages that are still open refer to.
    earlier: Arc<[File]>,
    /// When its next edition starts.
    next: Option<Timestamp>,
    /// When the last poll started.
    polled: Option<Instant>,
}

#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Why a release can't be shown, for the owner.
    #[error("{0:#}")]
    Refused(#[from] anyhow::Error),
}

impl ReleaseWatcher {
    /// Shows the release that is published in the store. If `is_fixed`, or while none is published,
    /// shows `built_in`.
    pub async fn start(
        store: Store,
        is_fixed: bool,
        built_in: Release,
        head: HeadInjection,
        templates: &[TemplatePlaceholders],
    ) -> anyhow::Result<Arc<Self>> {
        let releases = Releases {
            store,
            is_fixed,
            built_in: Arc::new(built_in),
            head: Arc::new(head),
            templates: templates.into(),
        };
        let listed = releases.listed().await?;
        let mut from = 0;
        let (mut shown, pages) = loop {
            match releases.ready(&listed[from..]).await {
                Ok(ready) => break ready,
                Err(Failure::Refused(reason)) if from < listed.len() => {
                    log_refusal(&listed[from], &reason);
                }
                Err(failure) => return Err(failure.into()),
            }
            from += 1;
        };
        shown.turn = turn(&listed);
        let stands_in = from > 0 && from == listed.len();
        if stands_in {
            SiteFacts::record_unreadable();
        }
        Ok(Arc::new(Self {
            pages: ArcSwap::from_pointee(pages),
            releases,
            shown: Mutex::new(shown),
        }))
    }

    /// The table to use throughout one response. Must not be held across an await.
    pub fn pages(&self) -> Guard<Arc<PageTable>> {
        self.pages.load()
    }

    /// Brings the pages up to date with everything published before the call, if the database
    /// answers in time.
    pub async fn refresh(&self) {
        let asked = Instant::now();
        let poll = async {
            let mut shown = self.shown.lock().await;
            if shown.polled.is_none_or(|polled| polled < asked) {
                let _ = self.poll(&mut shown).await;
            }
        };
        let _ = timeout(TIMEOUT, poll).await;
    }

    /// Runs until cancelled.
    pub async fn run(self: Arc<Self>) {
        let mut wakeups = self.releases.store.wakeups();
        let mut is_logged = false;
        loop {
            tokio::select! {
                _ = wakeups.changed() => {}
                () = sleep(POLL) => {}
            }
            let polled = self.poll(&mut *self.shown.lock().await).await;
            if let (Err(error), false) = (&polled, is_logged) {
                tracing::warn!(%error, "can't check for a new release; still serving the current one");
            }
            // Logged once per outage of the database.
            is_logged = polled.is_err();
            sleep(PAUSE).await;
        }
    }

    async fn poll(&self, shown: &mut ShownRelease) -> Result<(), StoreError> {
        let begun = Instant::now();
        let turn = if self.releases.is_fixed {
            0
        } else {
            self.releases.store.release_turn().await?
        };
        if turn != shown.turn {
            self.show_newest(shown).await?;
        } else if shown
            .next
            .is_some_and(|next| next <= self.releases.store.now())
        {
            self.show_next_edition(shown).await;
        }
        shown.polled = Some(begun);
        Ok(())
    }

    async fn show_newest(&self, shown: &mut ShownRelease) -> Result<(), StoreError> {
        let listed = self.releases.listed().await?;
        match self.releases.ready(&listed).await {
            Ok((newest, pages)) => {
                *shown = newest;
                self.change_over(shown, pages);
            }
            Err(Failure::Store(error)) => return Err(error),
            Err(Failure::Refused(reason)) => {
                if let Some(refused) = listed.first() {
                    log_refusal(refused, &reason);
                }
            }
        }
        shown.turn = turn(&listed);
        Ok(())
    }

    async fn show_next_edition(&self, shown: &mut ShownRelease) {
        let (release, earlier) = (shown.release.clone(), shown.earlier.clone());
        match self.releases.build(release, earlier).await {
            Ok((pages, next)) => {
                shown.next = next;
                self.change_over(shown, pages);
            }
            Err(error) => {
                tracing::error!(
                    release = shown.id,
                    reason = format!("{error:#}"),
                    "can't show today's posts; retrying every minute"
                );
                shown.next = Some(self.releases.store.now() + EDITION_PAUSE);
            }
        }
    }

    fn change_over(&self, shown: &ShownRelease, pages: PageTable) {
        self.pages.store(Arc::new(pages));
        tracing::info!(release = shown.id, "the site shows this release now");
    }
}

impl Releases {
    async fn listed(&self) -> Result<Vec<StoredRelease>, StoreError> {
        if self.is_fixed {
            Ok(Vec::new())
        } else {
            self.store.releases().await
        }
    }

    /// Reads and builds the first of these releases, or the built-in one, with the assets of the
    /// following ones. Makes its facts the current ones.
    async fn ready(&self, listed: &[StoredRelease]) -> Result<(ShownRelease, PageTable), Failure> {
        let (id, release) = match listed.first() {
            Some(stored) => (stored.id, self.read(stored).await?),
            None => (BUILT_IN, self.built_in.clone()),
        };
        let (mut earlier, paths) = (Vec::new(), |file: &File| file.path.clone());
        let mut known: HashSet<String> = assets(&release).map(paths).collect();
        known.extend(assets(&self.built_in).map(paths));
        for stored in listed.iter().skip(1).take(EARLIER) {
            match self.read(stored).await {
                Ok(read) => {
                    let new = assets(&read).filter(|file| known.insert(file.path.clone()));
                    earlier.extend(new.map(copy));
                }
                Err(Failure::Store(error)) => return Err(error.into()),
                // A release that can't be served has no open pages.
                Err(Failure::Refused(_)) => {}
            }
        }
        let earlier: Arc<[File]> = earlier.into();
        let (pages, next) = self.build(release.clone(), earlier.clone()).await?;
        release.facts.make_current();
        let shown = ShownRelease {
            turn: 0,
            id,
            release,
            earlier,
            next,
            polled: None,
        };
        Ok((shown, pages))
    }

    /// Builds the present edition; also returns when the next one starts.
    async fn build(
        &self,
        release: Arc<Release>,
        earlier: Arc<[File]>,
    ) -> anyhow::Result<(PageTable, Option<Timestamp>)> {
        let (built_in, now) = (self.built_in.clone(), self.store.now());
        let (head, templates) = (self.head.clone(), self.templates.clone());
        let building = spawn_blocking(move || {
            let (edition, next) = release.at(now);
            let mut pages = PageTable::build(edition, &head, &templates)?;
            pages.add_assets(assets(&built_in).chain(&*earlier), &head)?;
            Ok((pages, next))
        });
        building.await?
    }

    async fn read(&self, stored: &StoredRelease) -> Result<Arc<Release>, Failure> {
        if stored.id == BUILT_IN {
            return Ok(self.built_in.clone());
        }
        Ok(Arc::new(read(&self.store, stored).await??))
    }
}

/// Reads a published release. The inner error says why it can't be shown.
async fn read(
    store: &Store,
    stored: &StoredRelease,
) -> Result<anyhow::Result<Release>, StoreError> {
    let content = store.release_content(stored).await?;
    let content = content.map_err(anyhow::Error::msg);
    let reading = spawn_blocking(|| content.and_then(|content| Release::read(&content)));
    Ok(reading.await.map_err(anyhow::Error::from).flatten())
}

/// The published release that is shown, or `None` if the built-in one is shown.
pub async fn published_release(
    store: &Store,
) -> Result<Option<(StoredRelease, anyhow::Result<Release>)>, StoreError> {
    let first = store.releases().await?.into_iter().next();
    let Some(shown) = first.filter(|shown| shown.id != BUILT_IN) else {
        return Ok(None);
    };
    let read = read(store, &shown).await?;
    Ok(Some((shown, read)))
}

/// The turn of the published release; 0 while there is none.
fn turn(listed: &[StoredRelease]) -> i64 {
    listed.first().map_or(0, |shown| shown.turn)
}

fn log_refusal(stored: &StoredRelease, reason: &anyhow::Error) {
    tracing::error!(
        release = stored.id,
        reason = format!("{reason:#}"),
        "a published release can't be shown, the one before it stays; run `frontdoor releases rollback`, or publish another"
    );
}
