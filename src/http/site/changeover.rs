//! Keeps the pages those of the release that is published, as long as the
//! server runs: looks when it is called, and once a second in any case. Also
//! changes to the next edition of a release when its time has come.
//!
//! A replica that has changed over names assets that another one may not know
//! yet: who is asked for such an asset looks first ([`Newest::look`]).

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::{Notify, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{sleep, timeout};

use super::live::LivePages;
use super::pages::Pages;
use super::press::Press;
use super::release::{Release, StoredAsset};
use crate::content::Facts;
use crate::store::{BUILT_IN, Sleeper, Store, StoreError, StoredRelease};

/// Another process may have published something without calling us.
const POLL: Duration = Duration::from_secs(1);
/// Between two looks, however often we are called.
const PAUSE: Duration = Duration::from_millis(100);
/// How long a request waits for a look.
const PATIENCE: Duration = Duration::from_secs(5);
/// So many releases before the present one have their assets kept.
const EARLIER: usize = 2;

/// Most lists of a release are shorter.
const LIST: usize = 256 * 1024;

/// Ends when it is dropped.
pub struct Changeover {
    pub pages: Arc<LivePages>,
    pub newest: Newest,
    work: JoinHandle<()>,
}

/// For who wants to know of a release that may be new.
#[derive(Clone)]
pub struct Newest {
    call: Arc<Notify>,
    /// The number of the last look that has begun, and of the last that is done.
    begun: Arc<AtomicU64>,
    done: watch::Receiver<u64>,
}

struct Watcher {
    /// None: one release is served, whatever is published.
    store: Option<Store>,
    /// What is served when nothing is published.
    own: Arc<Release>,
    press: Press,
    shown: Shown,
}

/// Where the site stands.
#[derive(Default, Clone, Copy)]
struct Shown {
    /// Of what was last looked at, whether or not it could be shown.
    turn: i64,
    /// The release that is shown.
    id: i64,
    /// When another edition of it begins.
    next: Option<Timestamp>,
}

/// Why a release is not shown: for the owner.
type Refusal = String;

/// Ready to be shown.
struct Printed {
    pages: Pages,
    facts: Facts,
    /// When another edition follows.
    next: Option<Timestamp>,
}

impl Changeover {
    /// With a `store` what is published there, otherwise and as long as there is
    /// nothing, `own`.
    pub async fn start(store: Option<Store>, own: Release, press: Press) -> anyhow::Result<Self> {
        let own = Arc::new(own);
        let mut watcher = Watcher {
            store,
            own,
            press,
            shown: Shown::default(),
        };
        let pages = Arc::new(LivePages::new(watcher.first().await?));
        let (done_sender, done) = watch::channel(0);
        let newest = Newest {
            call: Arc::default(),
            begun: Arc::default(),
            done,
        };
        let work = watcher.run(pages.clone(), newest.clone(), done_sender);
        Ok(Self {
            pages,
            newest,
            work: tokio::spawn(work),
        })
    }
}

impl Drop for Changeover {
    fn drop(&mut self) {
        self.work.abort();
    }
}

impl Newest {
    /// Afterwards the pages are at least as new as those published before the
    /// call, if the database answers in time.
    pub async fn look(&self) {
        let begun = self.begun.load(Ordering::SeqCst);
        self.call.notify_one();
        let mut done = self.done.clone();
        let _ = timeout(PATIENCE, done.wait_for(|done| *done > begun)).await;
    }
}

impl Watcher {
    async fn run(mut self, pages: Arc<LivePages>, newest: Newest, done: watch::Sender<u64>) {
        let mut sleeper = self.store.as_ref().map(|store| store.wakeups().sleeper());
        let mut is_told = false;
        loop {
            tokio::select! {
                () = newest.call.notified() => {}
                () = woken(sleeper.as_mut()) => {}
                () = sleep(POLL) => {}
            }
            let number = newest.begun.fetch_add(1, Ordering::SeqCst) + 1;
            let looked = self.look(&pages).await;
            if let (Err(error), false) = (&looked, is_told) {
                tracing::warn!(%error, "cannot look for a new release of the site");
            }
            // Once, however long the database is away.
            is_told = looked.is_err();
            done.send_replace(number);
            sleep(PAUSE).await;
        }
    }

    /// What can be shown at a start: the published release, or else the last one
    /// before it that can be.
    async fn first(&mut self) -> anyhow::Result<Pages> {
        let listed = self.listed().await?;
        self.shown.turn = turn(&listed);
        for from in 0..listed.len() {
            match self.pages(&listed[from..]).await? {
                Ok(printed) => return Ok(self.show(listed.get(from), &listed, printed)),
                Err(reason) => tell_refused(&listed[from], &reason),
            }
        }
        let printed = self.pages(&[]).await?.map_err(anyhow::Error::msg)?;
        Ok(self.show(None, &listed, printed))
    }

    /// From now on what the server says is what these pages say. `None`: the release
    /// that the program carries, although nobody has published it.
    fn show(
        &mut self,
        release: Option<&StoredRelease>,
        listed: &[StoredRelease],
        printed: Printed,
    ) -> Pages {
        self.shown.id = release.map_or(BUILT_IN, |release| release.id);
        self.shown.next = printed.next;
        printed.facts.hold();
        if release.is_none() && !listed.is_empty() {
            Facts::note_unreadable();
        }
        printed.pages
    }

    async fn look(&mut self, pages: &LivePages) -> Result<(), StoreError> {
        let turn_now = match &self.store {
            Some(store) => store.release_turn().await?,
            None => 0,
        };
        let is_over = self.shown.next.is_some_and(|next| next <= Timestamp::now());
        let is_new = turn_now != self.shown.turn;
        if !is_new && !is_over {
            return Ok(());
        }
        let listed = self.listed().await?;
        // The next edition is of the release that is shown, which need not be the newest.
        let from = match is_new {
            true => 0,
            false => place(&listed, self.shown.id),
        };
        let made = self.pages(&listed[from..]).await?;
        self.shown.turn = turn(&listed);
        match (made, listed.get(from)) {
            (Ok(printed), release) => {
                pages.replace(self.show(release, &listed, printed));
                tracing::info!(release = self.shown.id, "the site has changed over");
            }
            (Err(reason), refused) => {
                match refused {
                    Some(refused) => tell_refused(refused, &reason),
                    None => tracing::error!(reason, "the site cannot change over"),
                }
                // What stays still has its editions, unless this was one of them.
                self.shown.next = self.shown.next.filter(|_| is_new);
            }
        }
        Ok(())
    }

    async fn listed(&self) -> Result<Vec<StoredRelease>, StoreError> {
        match &self.store {
            Some(store) => store.releases().await,
            None => Ok(Vec::new()),
        }
    }

    /// Of the first, with the assets of those that follow; and when they change.
    async fn pages(
        &self,
        listed: &[StoredRelease],
    ) -> Result<Result<Printed, Refusal>, StoreError> {
        let release = match listed.first() {
            Some(stored) => match self.release(stored).await? {
                Ok(release) => release,
                Err(reason) => return Ok(Err(reason)),
            },
            None => self.own.clone(),
        };
        let mut earlier = Vec::new();
        for stored in listed.iter().skip(1).take(EARLIER) {
            earlier.extend(self.assets(stored).await?);
        }
        let (press, own) = (self.press.clone(), self.own.clone());
        let printing = spawn_blocking(move || {
            let (edition, next) = release.at(Timestamp::now());
            Ok(Printed {
                pages: press.print_with(edition, &own, earlier)?,
                facts: release.facts.clone(),
                next,
            })
        });
        let printed = printing.await.map_err(anyhow::Error::from);
        Ok(printed.flatten().map_err(|error| format!("{error:#}")))
    }

    async fn release(
        &self,
        stored: &StoredRelease,
    ) -> Result<Result<Arc<Release>, Refusal>, StoreError> {
        let Some(store) = self.store.as_ref().filter(|_| stored.id != BUILT_IN) else {
            return Ok(Ok(self.own.clone()));
        };
        let content = match store.release_content(stored).await? {
            Ok(content) => content,
            Err(reason) => return Ok(Err(reason)),
        };
        let reading = spawn_blocking(move || Release::read(&content));
        let read = reading.await.map_err(anyhow::Error::from).flatten();
        Ok(read.map(Arc::new).map_err(|error| format!("{error:#}")))
    }

    /// Those of one before. One that cannot be read has no pages that are open
    /// anywhere; those of our own are held.
    async fn assets(&self, stored: &StoredRelease) -> Result<Vec<StoredAsset>, StoreError> {
        let Some(store) = self.store.as_ref().filter(|_| stored.id != BUILT_IN) else {
            return Ok(Vec::new());
        };
        let bytes = usize::try_from(stored.bytes).unwrap_or(usize::MAX);
        let mut length = LIST;
        loop {
            let start = store.release_part(stored.id, 0..length.min(bytes)).await?;
            let listed = start.map(|start| Release::assets(stored.id, &start.into()));
            match listed {
                Ok(Ok(Some(assets))) => return Ok(assets),
                Ok(Ok(None)) if length < bytes => length *= 2,
                _ => return Ok(Vec::new()),
            }
        }
    }
}

/// Of the one that is published; 0 as long as there is none.
fn turn(listed: &[StoredRelease]) -> i64 {
    listed.first().map_or(0, |shown| shown.turn)
}

/// After all others: what the program carries, when it is not among them.
fn place(listed: &[StoredRelease], id: i64) -> usize {
    let place = listed.iter().position(|release| release.id == id);
    place.unwrap_or(listed.len())
}

async fn woken(sleeper: Option<&mut Sleeper>) {
    match sleeper {
        Some(sleeper) => sleeper.woken().await,
        None => std::future::pending().await,
    }
}

fn tell_refused(stored: &StoredRelease, reason: &str) {
    tracing::error!(
        release = stored.id,
        reason,
        "a release cannot be shown, the one before it stays: `frontdoor releases rollback`, or publish another"
    );
}
