//! What every test needs: a store of its own, a clock to turn, and leads.

use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use frontdoor::config::{MailSettings, Secret, WebhookSettings};
use frontdoor::domain::{ContactForm, HoldReason};
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::worker::{Clock, Dice, Sender, Worker};
use frontdoor::store::{Delivery, DeliveryKind, NewLead, OpenMode, Store, Subscribed};
use jiff::{SignedDuration, Timestamp};

use super::data::{lead, subscription, visitor};
use super::database::{self, Database};

pub static NOON: LazyLock<Timestamp> = LazyLock::new(|| "2025-03-01T12:00:00Z".parse().unwrap());

pub struct Desk {
    pub store: Store,
    /// Seconds since noon.
    clock: Arc<AtomicI64>,
    database: Database,
}

impl Desk {
    pub async fn new() -> Self {
        let database = Database::new();
        Self {
            store: database.open(OpenMode::Create).await,
            clock: Arc::default(),
            database,
        }
    }

    pub fn now(&self) -> Timestamp {
        *NOON + SignedDuration::from_secs(self.clock.load(Ordering::SeqCst))
    }

    pub fn turn_clock_to(&self, time: Timestamp) {
        let seconds = time.duration_since(*NOON).as_secs_f64().ceil();
        self.clock.store(seconds as i64, Ordering::SeqCst);
    }

    pub fn clock(&self) -> Clock {
        let seconds = self.clock.clone();
        Arc::new(move || *NOON + SignedDuration::from_secs(seconds.load(Ordering::SeqCst)))
    }

    /// A worker on this desk's clock, with dice that add no jitter.
    pub fn worker<S: Sender>(&self, sender: S) -> Worker<S> {
        let dice: Dice = Arc::new(|| 0.5);
        Worker::with(self.store.clone(), sender, 8, self.clock(), dice)
    }

    pub fn mailer(&self, settings: &MailSettings) -> Mailer {
        let promise = SignedDuration::from_hours(24);
        Mailer::new(settings, self.store.clone(), promise, None).unwrap()
    }

    /// Another way into the same database, as another replica has it.
    pub async fn another(&self) -> Store {
        self.database.open(OpenMode::Create).await
    }

    pub async fn add(&self, form: ContactForm<'_>, kinds: &[DeliveryKind]) -> String {
        self.add_held(form, kinds, None).await
    }

    pub async fn add_held(
        &self,
        form: ContactForm<'_>,
        kinds: &[DeliveryKind],
        hold: Option<HoldReason>,
    ) -> String {
        let lead = NewLead {
            hold,
            deliveries: kinds.to_vec(),
            ..lead(form)
        };
        self.store.add_lead(lead, self.now()).await.unwrap().id
    }

    /// The visitor asks for the newsletter.
    pub async fn subscribe(&self) -> Subscribed {
        let subscription = subscription(visitor().email, None);
        let asked = self.store.subscribe(subscription, true, self.now());
        asked.await.unwrap()
    }

    pub async fn deliveries(&self) -> Vec<Delivery> {
        database::deliveries(&self.store).await
    }

    pub async fn only_delivery(&self) -> Delivery {
        let mut all = self.deliveries().await;
        assert_eq!(all.len(), 1);
        all.remove(0)
    }
}

pub fn webhook_settings(url: &str) -> WebhookSettings {
    WebhookSettings {
        url: Secret::new(url.parse().unwrap()),
        secret: None,
        header: None,
    }
}

pub fn mail_settings(smtp_url: String) -> MailSettings {
    MailSettings {
        server: smtp_url.parse().unwrap(),
        from: "Front Desk <desk@site.example>".parse().ok(),
        notify: Some(vec!["owner@site.example".parse().unwrap()]),
        digest_hour: None,
        auto_reply: true,
    }
}
