//! Keeps the pages up to date with the published release: polls when the store wakes it and once a
//! second otherwise. It also switches to the next edition of a release at its time.
//!
//! After a replica switches, its pages refer to assets that another replica may not have yet, so a
//! request for an unknown asset polls first ([`ReleaseWatcher::refresh`]).

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
use super::{EarlierAsset, PageTable, TemplateWords};
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

#[derive(Default)]
struct Shown {
    /// The turn of the last release examined, whether or not it could be shown.
    turn: i64,
    /// The release being shown.
    id: i64,
    /// When its next edition starts.
    next: Option<Timestamp>,
    /// When the last poll started.
    looked: Option<Instant>,
}

struct Built {
    pages: PageTable,
    facts: Facts,
    /// When the next edition starts.
    next: Option<Timestamp>,
}

enum Failure {
    Store(StoreError),
    /// Why a release can't be shown, for the owner.
    Refused(String),
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Refused(format!("{error:#}"))
    }
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
        let mut shown = Shown::default();
        let pages = source.first(&mut shown).await?;
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
        let asset = self.pages().earlier(path)?;
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
        let turn_now = match &self.source.store {
            Some(store) => store.release_turn().await?,
            None => 0,
        };
        let is_over = shown.next.is_some_and(|next| next <= Timestamp::now());
        let is_new = turn_now != shown.turn;
        if is_new || is_over {
            self.change(shown, is_new).await?;
        }
        shown.looked = Some(begun);
        Ok(())
    }

    async fn change(&self, shown: &mut Shown, is_new: bool) -> Result<(), StoreError> {
        let listed = self.source.listed().await?;
        // The next edition belongs to the release being shown, which needn't be the newest. The
        // built-in release comes after all others.
        let from = match is_new {
            true => 0,
            false => listed
                .iter()
                .position(|release| release.id == shown.id)
                .unwrap_or(listed.len()),
        };
        let built = self.source.build(&listed[from..]).await;
        match (built, listed.get(from)) {
            (Err(Failure::Store(error)), _) => return Err(error),
            (Ok(built), release) => {
                self.pages
                    .store(Arc::new(shown.set(release, &listed, built)));
                tracing::info!(release = shown.id, "the site has changed over");
            }
            (Err(Failure::Refused(reason)), refused) => {
                match refused {
                    Some(refused) => log_refusal(refused, &reason),
                    None => tracing::error!(reason, "the site cannot change over"),
                }
                // The release being shown keeps its editions, unless this was one of them.
                shown.next = shown.next.filter(|_| is_new);
            }
        }
        shown.turn = turn(&listed);
        Ok(())
    }
}

impl Shown {
    /// Makes the facts of these pages the current ones. `None` means the built-in release; it
    /// stands in if releases are listed but none can be shown.
    fn set(
        &mut self,
        release: Option<&StoredRelease>,
        listed: &[StoredRelease],
        built: Built,
    ) -> PageTable {
        self.id = release.map_or(BUILT_IN, |release| release.id);
        self.next = built.next;
        built.facts.make_current();
        if release.is_none() && !listed.is_empty() {
            Facts::note_unreadable();
        }
        built.pages
    }
}

impl Source {
    /// At start: the published release, or the latest earlier one that can be shown.
    async fn first(&self, shown: &mut Shown) -> anyhow::Result<PageTable> {
        let listed = self.listed().await?;
        shown.turn = turn(&listed);
        for from in 0..=listed.len() {
            let release = listed.get(from);
            match (self.build(&listed[from..]).await, release) {
                (Ok(built), _) => return Ok(shown.set(release, &listed, built)),
                (Err(Failure::Store(error)), _) => return Err(error.into()),
                (Err(Failure::Refused(reason)), Some(release)) => log_refusal(release, &reason),
                (Err(Failure::Refused(reason)), None) => anyhow::bail!(reason),
            }
        }
        unreachable!("the last one is the program's own, or an error")
    }

    async fn listed(&self) -> Result<Vec<StoredRelease>, StoreError> {
        match &self.store {
            Some(store) => store.releases().await,
            None => Ok(Vec::new()),
        }
    }

    /// Builds the first of these, with the assets of the following ones and of the built-in
    /// release.
    async fn build(&self, listed: &[StoredRelease]) -> Result<Built, Failure> {
        let release = match listed.first() {
            Some(stored) => self.read(stored).await?.0,
            None => self.own.clone(),
        };
        let mut earlier = Vec::new();
        for stored in listed.iter().skip(1).take(EARLIER) {
            match self.read(stored).await {
                Ok((_, content)) if content.is_empty() => {}
                Ok((read, content)) => {
                    earlier.extend(EarlierAsset::all(stored.id, &read, &content))
                }
                Err(Failure::Store(error)) => return Err(error.into()),
                // A release that can't be served has no open pages.
                Err(Failure::Refused(_)) => {}
            }
        }
        let own = self.own.clone();
        let (head, words) = (self.head.clone(), self.words.clone());
        let building = spawn_blocking(move || {
            let (edition, next) = release.at(Timestamp::now());
            let mut pages = PageTable::build(edition, &head, &words)?;
            pages.keep_own(&own, &head)?;
            pages.keep_earlier(earlier);
            let facts = release.facts.clone();
            Ok(Built { pages, facts, next })
        });
        let built = building.await.map_err(anyhow::Error::from).flatten();
        Ok(built?)
    }

    /// A release and its file, which is empty for the built-in release.
    async fn read(&self, stored: &StoredRelease) -> Result<(Arc<Release>, Bytes), Failure> {
        let Some(store) = self.store.as_ref().filter(|_| stored.id != BUILT_IN) else {
            return Ok((self.own.clone(), Bytes::new()));
        };
        let content = store.release_content(stored).await?;
        let content = content.map_err(Failure::Refused)?;
        let file = content.clone();
        let reading = spawn_blocking(move || Release::read(&content));
        let read = reading.await.map_err(anyhow::Error::from).flatten();
        Ok((Arc::new(read?), file))
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

fn log_refusal(stored: &StoredRelease, reason: &str) {
    tracing::error!(
        release = stored.id,
        reason,
        "a release cannot be shown, the one before it stays: `frontdoor releases rollback`, or publish another"
    );
}
