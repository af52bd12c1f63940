//! What the owner is told unasked: leads that are due, once each; the day's
//! digest; and that a way to the owner takes nothing, over the other one.
//!
//! All of it becomes deliveries of the outbox. Any number of replicas look, and
//! the store sees to it that each thing is told once: a mark on the lead, a row
//! for the day, the time at which a fault was last told.

mod digest_time;

use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::Settings;
use crate::content::SITE;
use crate::outbox::worker::Clock;
use crate::store::{Channel, ChannelHealth, DeliveryKind, Result, Store, remind_after};
use crate::upkeep::Backups;

/// How often a server looks whether there is something to tell.
const POLL: Duration = Duration::from_secs(15);

/// What there is to tell, and how.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    pub mail: bool,
    pub webhook: bool,
    pub promise: SignedDuration,
    /// By the site's zone.
    pub digest_hour: Option<i8>,
}

impl Plan {
    pub fn of(settings: &Settings) -> Self {
        let mail = settings.mail.as_ref();
        Self {
            mail: mail.is_some(),
            webhook: settings.webhook.is_some(),
            promise: settings.promise.promise,
            digest_hour: mail.and_then(|mail| mail.digest_hour),
        }
    }

    fn reminders(&self) -> &'static [DeliveryKind] {
        match (self.mail, self.webhook) {
            (true, true) => &[DeliveryKind::DueMail, DeliveryKind::DueWebhook],
            (true, false) => &[DeliveryKind::DueMail],
            (false, true) => &[DeliveryKind::DueWebhook],
            (false, false) => &[],
        }
    }
}

/// Looks after what is to be told.
#[derive(Clone)]
pub struct Teller {
    store: Store,
    plan: Plan,
    clock: Clock,
    backups: Option<Backups>,
}

impl Teller {
    pub fn new(store: Store, plan: Plan, backups: Option<Backups>) -> Self {
        let clocked = store.clone();
        Self::with(store, plan, backups, Arc::new(move || clocked.now()))
    }

    /// With a clock of the caller's.
    pub fn with(store: Store, plan: Plan, backups: Option<Backups>, clock: Clock) -> Self {
        Self {
            store,
            plan,
            clock,
            backups,
        }
    }

    /// Looks once. What fails is tried at the next look, and spoils nothing else.
    pub async fn look(&self) {
        let now = (self.clock)();
        for (what, done) in [
            ("leads that are due", self.remind(now).await),
            ("the day's digest", self.digest(now).await),
            ("receivers that fail", self.faults(now).await),
        ] {
            if let Err(error) = done {
                tracing::warn!(%error, what, "cannot tell the owner");
            }
        }
    }

    async fn remind(&self, now: Timestamp) -> Result<()> {
        let waited = remind_after(self.plan.promise);
        let reminded = self
            .store
            .remind(self.plan.reminders(), waited, now)
            .await?;
        if reminded > 0 {
            tracing::info!(reminded, "leads are due");
        }
        Ok(())
    }

    /// The day is settled whether or not there is something to say, so that
    /// whatever comes later is for the next one.
    async fn digest(&self, now: Timestamp) -> Result<()> {
        let hour = self.plan.digest_hour;
        let Some(day) = hour.and_then(|hour| digest_time::day(hour, &SITE.zone(), now)) else {
            return Ok(());
        };
        if self.store.digest_is_settled(&day).await? {
            return Ok(());
        }
        let mut digest = self.store.digest(self.plan.promise, now).await?;
        if let Some(backups) = &self.backups {
            backups.tell(&mut digest);
        }
        let say = digest.has_something_to_say();
        self.store.settle_digest(&day, say, now).await?;
        Ok(())
    }

    async fn faults(&self, now: Timestamp) -> Result<()> {
        for health in self.store.channels().await? {
            let other = match health.channel {
                Channel::Mail => self.plan.webhook,
                Channel::Webhook => self.plan.mail,
            };
            if other && health.is_to_be_told(now) && self.is_missed(&health, now).await? {
                self.store.tell_fault(&health, now).await?;
            }
        }
        Ok(())
    }

    /// Something waits for this channel, or was given up. If nothing does, it may
    /// have worked again for long.
    async fn is_missed(&self, health: &ChannelHealth, now: Timestamp) -> Result<bool> {
        let found = self.store.attention(self.plan.promise, now).await?;
        Ok(health.given_up_at.is_some() || found.failing(health.channel) > 0)
    }
}

/// At work in the background.
pub struct Notices {
    stop: watch::Sender<bool>,
    work: JoinHandle<()>,
}

impl Notices {
    /// The first look is over when this returns: what visitors send from now on
    /// is not told of in a digest that was due before.
    pub async fn start(teller: Teller) -> Self {
        teller.look().await;
        let (stop, mut stopped) = watch::channel(false);
        let work = tokio::spawn(async move {
            while tokio::time::timeout(POLL, stopped.changed()).await.is_err() {
                teller.look().await;
            }
        });
        Self { stop, work }
    }

    /// Finishes the look at hand.
    pub async fn stop(self) {
        let _ = self.stop.send(true);
        let _ = self.work.await;
    }
}
