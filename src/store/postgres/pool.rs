//! A bounded number of connections, and a bounded wait for one.
//!
//! Whoever is done with a connection gives it back by dropping it. It is
//! looked at before anybody else gets it: what was given up half-way must not
//! keep the next one waiting. One that fails is the end of all that were made
//! before: after a failover no old one is handed out.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, Object, PoolError, RecycleError, RecycleResult};
use tokio_postgres::Client;

use super::connect::{Connector, Link};
use super::session;
use crate::store::{Connections, PostgresUrl, Result, StoreError};

/// For a free connection.
const WAIT: Duration = Duration::from_secs(2);
/// For a look at one that comes back.
const LOOK: Duration = Duration::from_secs(1);
/// So long nobody tries again after the server could not be reached: those who
/// come meanwhile are told at once.
const PAUSE: Duration = Duration::from_millis(300);

#[derive(Clone)]
pub struct Pool(managed::Pool<Maker>);

pub struct Maker {
    connector: Arc<Connector>,
    /// Older ones are not used any more.
    spoilt: Mutex<Option<Instant>>,
    failed: Mutex<Option<(Instant, StoreError)>>,
}

impl Pool {
    pub fn new(url: &PostgresUrl) -> Result<Self> {
        let maker = Maker {
            connector: Arc::new(Connector::new(url)?),
            spoilt: Mutex::default(),
            failed: Mutex::default(),
        };
        let builder = managed::Pool::builder(maker).max_size(url.connections);
        let pool = builder.wait_timeout(Some(WAIT)).runtime(Runtime::Tokio1);
        let pool = pool.build().map_err(|error| StoreError::CannotOpen {
            place: url.place(),
            reason: error.to_string(),
        })?;
        Ok(Self(pool))
    }

    /// One that works, from the pool or new.
    pub async fn get(&self) -> Result<Lent> {
        let got = self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Timeout(_) => StoreError::Busy("all its connections are in use".into()),
            PoolError::Closed => StoreError::Unavailable("the store is closed".into()),
            other => StoreError::Unavailable(other.to_string()),
        })?;
        Ok(Lent {
            object: Some(got),
            pool: self.clone(),
        })
    }

    /// The first of a start: what goes wrong is for the owner to mend.
    pub async fn first(&self) -> Result<()> {
        let first = self.get().await.map(drop);
        first.map_err(|error| self.cannot_open(error))
    }

    pub fn cannot_open(&self, error: StoreError) -> StoreError {
        match error {
            StoreError::Unavailable(reason) | StoreError::Busy(reason) => StoreError::CannotOpen {
                place: self.place().into(),
                reason,
            },
            other => other,
        }
    }

    /// For people.
    pub fn place(&self) -> &str {
        self.0.manager().connector.place()
    }

    pub fn connector(&self) -> Arc<Connector> {
        self.0.manager().connector.clone()
    }

    /// How many wait for a connection.
    pub fn waiting(&self) -> usize {
        self.0.status().waiting
    }

    pub fn connections(&self) -> Connections {
        let status = self.0.status();
        Connections {
            busy: status.size.saturating_sub(status.available),
            idle: status.available,
            most: status.max_size,
        }
    }

    pub fn close(&self) {
        self.0.close();
    }

    /// Back into the pool, if the next one can use it.
    async fn take_back(self, object: Object<Maker>) {
        let look = session::is_fit(&object.client);
        if tokio::time::timeout(LOOK, look).await != Ok(true) {
            drop(Object::take(object));
            self.spoil();
        }
    }

    fn spoil(&self) {
        let now = Instant::now();
        let mut spoilt = lock(&self.0.manager().spoilt);
        *spoilt = Some(now);
        drop(spoilt);
        self.0.retain(|link, _| link.since > now);
    }
}

impl managed::Manager for Maker {
    type Type = Link;
    type Error = StoreError;

    async fn create(&self) -> Result<Link> {
        if let Some((at, error)) = &*lock(&self.failed)
            && at.elapsed() < PAUSE
        {
            return Err(error.clone());
        }
        let made = Box::pin(self.connector.connect(None)).await;
        *lock(&self.failed) = match &made {
            Ok(_) => None,
            Err(error) => Some((Instant::now(), error.clone())),
        };
        made
    }

    async fn recycle(&self, link: &mut Link, _: &Metrics) -> RecycleResult<StoreError> {
        let is_old = lock(&self.spoilt).is_some_and(|spoilt| link.since <= spoilt);
        match is_old || link.client.is_closed() {
            true => Err(RecycleError::message("of no use any more")),
            false => Ok(()),
        }
    }
}

/// A connection, for as long as it is needed.
pub struct Lent {
    /// Empty only while it is dropped.
    object: Option<Object<Maker>>,
    pool: Pool,
}

impl Deref for Lent {
    type Target = Client;

    fn deref(&self) -> &Client {
        match &self.object {
            Some(object) => &object.client,
            None => unreachable!("given back only when dropped"),
        }
    }
}

impl DerefMut for Lent {
    fn deref_mut(&mut self) -> &mut Client {
        match &mut self.object {
            Some(object) => &mut object.client,
            None => unreachable!("given back only when dropped"),
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let Some(object) = self.object.take() else {
            return;
        };
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(self.pool.clone().take_back(object))),
            Err(_) => drop(Object::take(object)),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
