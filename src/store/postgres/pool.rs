//! A bounded number of connections, and a bounded wait for one.

use std::time::Duration;

use deadpool_postgres::{Manager, ManagerConfig, Object, RecyclingMethod, Runtime, Timeouts};
use tokio_postgres::NoTls;

use crate::store::{PostgresUrl, Result, StoreError};

const MOST: usize = 16;
/// For a free connection, for a new one, and for a look at an old one.
const WAIT: Duration = Duration::from_secs(2);

#[derive(Clone)]
pub struct Pool {
    inner: deadpool_postgres::Pool,
    place: String,
}

impl Pool {
    pub fn new(url: &PostgresUrl) -> Result<Self> {
        let cannot = |reason: String| StoreError::CannotOpen {
            place: "postgres://…".into(),
            reason,
        };
        let mut config: tokio_postgres::Config = url
            .as_str()
            .parse()
            .map_err(|error: tokio_postgres::Error| cannot(error.to_string()))?;
        config.application_name("frontdoor").connect_timeout(WAIT);
        let place = place(&config);
        let recycling_method = RecyclingMethod::Fast;
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method });
        let timeouts = Timeouts {
            wait: Some(WAIT),
            create: Some(WAIT),
            recycle: Some(WAIT),
        };
        let builder = deadpool_postgres::Pool::builder(manager).max_size(MOST);
        let pool = builder.timeouts(timeouts).runtime(Runtime::Tokio1).build();
        Ok(Self {
            inner: pool.map_err(|error| cannot(error.to_string()))?,
            place,
        })
    }

    /// One that works, from the pool or new.
    pub async fn get(&self) -> Result<Object> {
        let got = self.inner.get().await;
        got.map_err(|error| StoreError::Unavailable(error.to_string()))
    }

    /// How many wait for a connection.
    pub fn waiting(&self) -> usize {
        self.inner.status().waiting
    }

    /// For people: without user and password.
    pub fn place(&self) -> String {
        self.place.clone()
    }

    pub fn close(&self) {
        self.inner.close();
    }
}

fn place(config: &tokio_postgres::Config) -> String {
    format!("postgres://…/{}", config.get_dbname().unwrap_or_default())
}
