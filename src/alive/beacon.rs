//! An address that is asked every few minutes while all is well: whoever is
//! behind it raises the alarm when the calls stop, whatever the reason.

use std::time::Duration;

use url::Url;

use super::readiness::Readiness;
use crate::calls::{cause, http};
use crate::config::AliveSettings;

/// From one call to the next.
const PAUSE: Duration = Duration::from_secs(5 * 60);
/// For the whole call.
const TIMEOUT: Duration = Duration::from_secs(10);

pub struct Beacon {
    client: reqwest::Client,
    url: Url,
    readiness: Readiness,
    /// Told once, until a call succeeds.
    fails: bool,
}

impl Beacon {
    pub fn new(settings: &AliveSettings, readiness: Readiness) -> anyhow::Result<Self> {
        Ok(Self {
            client: http::builder(TIMEOUT)?.build()?,
            url: settings.url.reveal().clone(),
            readiness,
            fails: false,
        })
    }

    pub async fn run(mut self) {
        loop {
            self.look().await;
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Calls if all is well.
    pub async fn look(&mut self) {
        if self.readiness.ask().await.is_ok() {
            let outcome = self.call().await;
            self.note(outcome);
        }
    }

    /// `Err`: why not, without the address, which is a secret.
    async fn call(&self) -> Result<(), String> {
        let answer = self.client.get(self.url.clone()).send().await;
        let status = answer.map_err(|error| match error.is_timeout() {
            true => format!("no answer within {} s", TIMEOUT.as_secs()),
            false => cause::words(&error).to_owned(),
        })?;
        match status.status() {
            status if status.is_success() => Ok(()),
            status => Err(format!("it answered {}", status.as_u16())),
        }
    }

    fn note(&mut self, outcome: Result<(), String>) {
        match &outcome {
            Err(reason) if !self.fails => {
                tracing::warn!(reason, "cannot tell FRONTDOOR_ALIVE_URL that all is well");
            }
            Ok(()) if self.fails => tracing::info!("FRONTDOOR_ALIVE_URL is told again"),
            _ => {}
        }
        self.fails = outcome.is_err();
    }
}
