//! Notices to the owner: a reminder for each lead that is due, a daily digest, and a report when
//! mail or the webhook fails, sent over the other of the two.
//!
//! All of them become deliveries of the outbox. Every replica polls, and the store makes sure that
//! each notice is created once: by a mark on the lead, a row per day, and the time of the last
//! report of a fault.

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use tokio::time::sleep;

use crate::config::Settings;
use crate::content::site;
use crate::store::{Backlog, Channel, ChannelHealth, DeliveryKind, Result, Store, remind_after};
use crate::upkeep::Backups;

/// How often a server checks for notices to create.
const POLL: Duration = Duration::from_secs(15);

/// Which notices are sent, over which channels.
#[derive(Debug, Clone, Copy)]
pub struct NoticeSettings {
    pub mail: bool,
    pub webhook: bool,
    pub promise: SignedDuration,
    /// In the site's time zone.
    pub digest_hour: Option<i8>,
}

impl NoticeSettings {
    pub fn from_settings(settings: &Settings) -> Self {
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
            (true, true) => &[DeliveryKind::ReminderMail, DeliveryKind::ReminderWebhook],
            (true, false) => &[DeliveryKind::ReminderMail],
            (false, true) => &[DeliveryKind::ReminderWebhook],
            (false, false) => &[],
        }
    }
}

/// Creates the deliveries of notices that are due.
pub struct OwnerNotifier {
    store: Store,
    settings: NoticeSettings,
    backups: Option<Backups>,
}

impl OwnerNotifier {
    pub fn new(store: Store, settings: NoticeSettings, backups: Option<Backups>) -> Self {
        Self {
            store,
            settings,
            backups,
        }
    }

    /// Checks now, and returns what goes on checking. Leads that arrive after the first check aren't
    /// in a digest that was already due. The rest may be cut off at any time: the next check, on any
    /// server, makes up for it.
    pub async fn start(self) -> impl Future<Output = ()> + Send {
        self.run_once(self.store.now()).await;
        async move {
            loop {
                sleep(POLL).await;
                self.run_once(self.store.now()).await;
            }
        }
    }

    /// Checks once. A step that fails is retried at the next check and doesn't stop the others.
    pub async fn run_once(&self, now: Timestamp) {
        for (what, done) in [
            ("leads that are due", self.remind(now).await),
            ("the daily digest", self.digest(now).await),
            ("receivers that fail", self.faults(now).await),
        ] {
            if let Err(error) = done {
                tracing::warn!(%error, what, "can't prepare a notice to the owner; will retry soon");
            }
        }
    }

    async fn remind(&self, now: Timestamp) -> Result<()> {
        let waited = remind_after(self.settings.promise);
        let reminders = self.settings.reminders();
        let reminded = self.store.remind(reminders, waited, now).await?;
        if reminded > 0 {
            tracing::info!(reminded, "reminding the owner of leads that are due");
        }
        Ok(())
    }

    /// Settles the day even if there is nothing to report: later events go into the next digest.
    async fn digest(&self, now: Timestamp) -> Result<()> {
        let hour = self.settings.digest_hour;
        let Some(day) = hour.and_then(|hour| digest_day(hour, &site().zone(), now)) else {
            return Ok(());
        };
        if self.store.digest_is_settled(&day).await? {
            return Ok(());
        }
        let mut digest = self.store.digest(self.settings.promise, now).await?;
        if let Some(backups) = &self.backups {
            backups.add_to_digest(&mut digest);
        }
        let is_needed = digest.has_something_to_say();
        self.store.settle_digest(&day, is_needed, now).await
    }

    async fn faults(&self, now: Timestamp) -> Result<()> {
        for health in self.store.channels().await? {
            let has_other_channel = match health.channel {
                Channel::Mail => self.settings.webhook,
                Channel::Webhook => self.settings.mail,
            };
            if has_other_channel
                && health.should_notify(now)
                && self.has_undelivered(&health, now).await?
            {
                self.store.report_fault(&health, now).await?;
            }
        }
        Ok(())
    }

    /// Whether a delivery is waiting for this channel or was given up. If not, the channel may have
    /// been working again for a long time.
    async fn has_undelivered(&self, health: &ChannelHealth, now: Timestamp) -> Result<bool> {
        let backlog = self.store.backlog(now).await?;
        Ok(health.given_up_at.is_some() || Backlog::failing(&backlog, health.channel) > 0)
    }
}

/// The day whose digest may be sent now: from the hour on until midnight. A server that was down at
/// that hour catches up, and an hour that a clock change skips or repeats yields one digest.
fn digest_day(hour: i8, zone: &TimeZone, now: Timestamp) -> Option<String> {
    let local = now.to_zoned(zone.clone());
    (local.hour() >= hour).then(|| local.date().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On 8 March 2026 Toronto skips the hour 2; on 1 November it repeats the hour 1.
    #[test]
    fn a_digest_is_due_from_its_hour_to_the_end_of_the_day_also_when_clocks_change() {
        let zone = TimeZone::get("America/Toronto").unwrap();
        for (hour, time, day) in [
            (8, "2026-07-01T11:59:59Z", None),
            (8, "2026-07-01T12:00:00Z", Some("2026-07-01")),
            (8, "2026-07-02T03:59:59Z", Some("2026-07-01")),
            (8, "2026-07-02T04:00:00Z", None),
            (0, "2026-07-02T04:00:00Z", Some("2026-07-02")),
            (2, "2026-03-08T06:59:59Z", None),
            (2, "2026-03-08T07:00:00Z", Some("2026-03-08")),
            (1, "2026-11-01T05:00:00Z", Some("2026-11-01")),
            (1, "2026-11-01T06:00:00Z", Some("2026-11-01")),
        ] {
            let found = digest_day(hour, &zone, time.parse().unwrap());
            assert_eq!(found.as_deref(), day, "{hour} at {time}");
        }
    }
}
