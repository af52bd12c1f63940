//! Keeps the pages up to date with the published release: polls when the store wakes it and once a
//! second otherwise. It also switches to the next edition of a release at its time.
//!
//! After a replica switches, its pages refer to assets that another replica may not have yet, so a
//! request for an unknown asset polls first ([`ReleaseWatcher::refresh`]).

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arc_swap::{ArcSwap, Guard};
use axum::body::Bytes;
use jiff::Timestamp;
use tokio::sync::{Mutex, Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::head_injection::HeadInjection;
use super::release::Release;
use super::resource::Resource;
use super::{EarlierAsset, EarlierAssets, PageTable, TemplateWords};
use crate::content::Facts;
use crate::store::{BUILT_IN, Store, StoreError, StoredRelease};

/// Another process may have published a release without waking this one.
const POLL: Duration = Duration::from_secs(1);
/// The shortest time between two polls, however often the store wakes it.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a request waits for a poll.
const TIMEOUT: Duration = Duration::from_secs(5);
/// How many earlier releases have their assets kept.
const EARLIER: usize = 2;
const READS_AT_ONCE: usize = 2;

pub struct ReleaseWatcher {
    pages: ArcSwap<PageTable>,
    source: Source,
    shown: Mutex<Shown>,
    /// Limits concurrent reads of assets of earlier releases.
    reading: Semaphore,
}

/// The source of the pages.
struct Source {
    /// `None` if a fixed release is served, whatever is published.
    store: Option<Store>,
    /// Served while nothing is published.
    own: Arc<Release>,
    head: Arc<HeadInjection>,
    words: Arc<[TemplateWords]>,
}

struct Shown {
    /// The turn of the last release examined, whether or not it could be shown.
    turn: i64,
    /// The release being shown.
    id: i64,
    release: Arc<Release>,
    /// When its next edition starts.
    next: Option<Timestamp>,
    /// When the last poll started.
    looked: Option<Instant>,
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
    /// With a `store`, shows the release published there; without one, or while none is published,
    /// `own`.
    pub async fn start(
        store: Option<Store>,
        own: Release,
        head: HeadInjection,
        words: &[TemplateWords],
    ) -> anyhow::Result<Arc<Self>> {
        let source = Source {
            store,
            own: Arc::new(own),
            head: Arc::new(head),
            words: words.into(),
        };
        let listed = source.listed().await?;
        let mut from = 0;
        let (mut shown, pages) = loop {
            match source.ready(&listed[from..]).await {
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
            Facts::note_unreadable();
        }
        Ok(Arc::new(Self {
            pages: ArcSwap::from_pointee(pages),
            source,
            shown: Mutex::new(shown),
            reading: Semaphore::new(READS_AT_ONCE),
        }))
    }

    /// The table for one answer, which uses it throughout. Must not be held across an await.
    pub fn pages(&self) -> Guard<Arc<PageTable>> {
        self.pages.load()
    }

    /// Brings the pages up to date with everything published before the call, if the database
    /// answers in time.
    pub async fn refresh(&self) {
        let asked = Instant::now();
        let look = async {
            let mut shown = self.shown.lock().await;
            if shown.looked.is_none_or(|looked| looked < asked) {
                let _ = self.look(&mut shown).await;
            }
        };
        let _ = timeout(TIMEOUT, look).await;
    }

    /// An asset of an earlier release. `None` if there is none, or the database doesn't answer.
    pub async fn earlier_asset(&self, path: &str) -> Option<Resource> {
        let asset = self.pages().earlier.get(path).cloned()?;
        let store = self.source.store.as_ref()?;
        let _turn = self.reading.acquire().await.ok()?;
        let mut file = asset.file.clone();
        for (body, part) in file.bodies.iter_mut().zip(&asset.parts) {
            let read = store.release_part(asset.release, part.clone()).await;
            body.bytes = read.ok()?.ok()?.into();
        }
        Resource::new(&file, &self.source.head).ok()
    }

    /// Runs until cancelled.
    pub async fn run(self: Arc<Self>) {
        let store = self.source.store.as_ref();
        let mut wakeups = store.map(Store::wakeups);
        let mut is_told = false;
        loop {
            tokio::select! {
                () = woken(wakeups.as_mut()) => {}
                () = sleep(POLL) => {}
            }
            let looked = self.look(&mut *self.shown.lock().await).await;
            if let (Err(error), false) = (&looked, is_told) {
                tracing::warn!(%error, "cannot look for a new release of the site");
            }
            // Logged once per outage of the database.
            is_told = looked.is_err();
            sleep(PAUSE).await;
        }
    }

    async fn look(&self, shown: &mut Shown) -> Result<(), StoreError> {
        let begun = Instant::now();
        let turn = match &self.source.store {
            Some(store) => store.release_turn().await?,
            None => 0,
        };
        if turn != shown.turn {
            self.show_newest(shown).await?;
        } else if shown.next.is_some_and(|next| next <= Timestamp::now()) {
            self.show_next_edition(shown).await;
        }
        shown.looked = Some(begun);
        Ok(())
    }

    async fn show_newest(&self, shown: &mut Shown) -> Result<(), StoreError> {
        let listed = self.source.listed().await?;
        match self.source.ready(&listed).await {
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

    async fn show_next_edition(&self, shown: &mut Shown) {
        let earlier = self.pages().earlier.clone();
        match self.source.build(shown.release.clone(), earlier).await {
            Ok((pages, next)) => {
                shown.next = next;
                self.change_over(shown, pages);
            }
            Err(error) => {
                tracing::error!(reason = format!("{error:#}"), "the site cannot change over");
                shown.next = None;
            }
        }
    }

    fn change_over(&self, shown: &Shown, pages: PageTable) {
        self.pages.store(Arc::new(pages));
        tracing::info!(release = shown.id, "the site has changed over");
    }
}

impl Source {
    async fn listed(&self) -> Result<Vec<StoredRelease>, StoreError> {
        match &self.store {
            Some(store) => store.releases().await,
            None => Ok(Vec::new()),
        }
    }

    /// The first of these, or the built-in release, with the assets of the following ones. Makes its
    /// facts the current ones.
    async fn ready(&self, listed: &[StoredRelease]) -> Result<(Shown, PageTable), Failure> {
        let (id, release) = match listed.first() {
            Some(stored) => (stored.id, self.read(stored).await?.0),
            None => (BUILT_IN, self.own.clone()),
        };
        let mut earlier = HashMap::new();
        for stored in listed.iter().skip(1).take(EARLIER) {
            match self.read(stored).await {
                Ok((_, content)) if content.is_empty() => {}
                Ok((read, content)) => {
                    for asset in EarlierAsset::all(stored.id, &read, &content) {
                        let path = asset.file.path.clone();
                        earlier.entry(path).or_insert_with(|| Arc::new(asset));
                    }
                }
                Err(Failure::Store(error)) => return Err(error.into()),
                // A release that can't be served has no open pages.
                Err(Failure::Refused(_)) => {}
            }
        }
        let (pages, next) = self.build(release.clone(), earlier).await?;
        release.facts.make_current();
        let shown = Shown {
            turn: 0,
            id,
            release,
            next,
            looked: None,
        };
        Ok((shown, pages))
    }

    /// Builds the present edition; also returns when the next one starts.
    async fn build(
        &self,
        release: Arc<Release>,
        earlier: EarlierAssets,
    ) -> anyhow::Result<(PageTable, Option<Timestamp>)> {
        let own = self.own.clone();
        let (head, words) = (self.head.clone(), self.words.clone());
        let building = spawn_blocking(move || {
            let (edition, next) = release.at(Timestamp::now());
            let mut pages = PageTable::build(edition, &head, &words)?;
            pages.keep_own(&own, &head)?;
            pages.earlier = earlier;
            Ok((pages, next))
        });
        building.await?
    }

    /// A release and its file, which is empty for the built-in release.
    async fn read(&self, stored: &StoredRelease) -> Result<(Arc<Release>, Bytes), Failure> {
        let Some(store) = self.store.as_ref().filter(|_| stored.id != BUILT_IN) else {
            return Ok((self.own.clone(), Bytes::new()));
        };
        let content = store.release_content(stored).await?;
        let content = content.map_err(anyhow::Error::msg)?;
        let file = content.clone();
        let reading = spawn_blocking(move || Release::read(&content));
        let read = reading.await.map_err(anyhow::Error::from)??;
        Ok((Arc::new(read), file))
    }
}

/// The turn of the published release; 0 while there is none.
fn turn(listed: &[StoredRelease]) -> i64 {
    listed.first().map_or(0, |shown| shown.turn)
}

async fn woken(wakeups: Option<&mut watch::Receiver<()>>) {
    match wakeups {
        Some(wakeups) => drop(wakeups.changed().await),
        None => std::future::pending().await,
    }
}

fn log_refusal(stored: &StoredRelease, reason: &anyhow::Error) {
    tracing::error!(
        release = stored.id,
        reason = format!("{reason:#}"),
        "a release cannot be shown, the one before it stays: `frontdoor releases rollback`, or publish another"
    );
}
