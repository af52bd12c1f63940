//! A store on its own database, a clock that the test sets, and the program's commands on the same
//! database: the store stays open meanwhile, like a server's.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock};

use frontdoor::config::{MailSettings, Secret, WebhookSettings};
use frontdoor::content::site;
use frontdoor::domain::{ContactForm, Email, HoldReason};
use frontdoor::newsletter::Issue;
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::worker::{Clock, Sender, Worker};
use frontdoor::store::{
    Claim, ClaimedContent, Delivery, DeliveryKind, Import, IssueCounts, LeadAction, LeadState,
    LinkPurpose, LinkState, MAX_HAND_OVER, MAX_LEASE, NewLead, Store, Subscribed, Welcome,
};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use tokio::task::JoinSet;

use super::{CommandOutput, Database, WEBHOOK, lead, run, subscription};

pub static NOON: LazyLock<Timestamp> = LazyLock::new(|| "2025-03-01T12:00:00Z".parse().unwrap());
pub const HELD: Option<HoldReason> = Some(HoldReason::Honeypot);

pub struct TestStore {
    pub store: Store,
    pub database: Database,
    /// Seconds since [`NOON`]; `None` means the real clock.
    clock: Option<Arc<AtomicI64>>,
}

impl TestStore {
    pub async fn new() -> Self {
        Self::over(Database::with_tables().await).await
    }

    /// For tests of what only a file has: owner, permissions, copies, bytes.
    pub async fn on_file() -> Self {
        Self::over(Database::sqlite()).await
    }

    pub async fn over(database: Database) -> Self {
        Self {
            store: database.create().await,
            database,
            clock: None,
        }
    }

    /// It is [`NOON`] until the test says otherwise.
    pub async fn at_noon() -> Self {
        Self {
            clock: Some(Arc::default()),
            ..Self::new().await
        }
    }

    pub fn now(&self) -> Timestamp {
        self.clock()()
    }

    pub fn clock(&self) -> Clock {
        match self.clock.clone() {
            Some(clock) => {
                Arc::new(move || *NOON + SignedDuration::from_secs(clock.load(Ordering::SeqCst)))
            }
            None => Arc::new(Timestamp::now),
        }
    }

    pub fn set_time(&self, time: Timestamp) {
        let clock = self.clock.as_ref().expect("a clock: see at_noon");
        let seconds = time.duration_since(*NOON).as_secs_f64().ceil();
        clock.store(seconds as i64, Ordering::SeqCst);
    }

    pub fn pass_time(&self, by: SignedDuration) {
        self.set_time(self.now() + by);
    }

    /// A worker on this clock, whose pauses have no jitter.
    pub fn worker<S: Sender>(&self, sender: S) -> Worker<S> {
        Worker::with(
            self.store.clone(),
            sender,
            8,
            self.clock(),
            Arc::new(|| 0.5),
        )
    }

    pub fn mailer(&self, settings: &MailSettings) -> Mailer {
        self.mailer_of(settings, None)
    }

    /// One that knows the desk's address.
    pub fn mailer_of(&self, settings: &MailSettings, desk: Option<&str>) -> Mailer {
        let promise = SignedDuration::from_hours(24);
        let desk = desk.map(|desk| desk.parse().unwrap());
        Mailer::new(settings, self.store.clone(), promise, None, desk).unwrap()
    }

    /// Opens the same database again, like another process.
    pub async fn another(&self) -> Store {
        self.database.create().await
    }

    /// Makes this many calls at once, half of them through a second store; returns the results.
    pub async fn at_once<T, F>(&self, number: usize, ask: impl Fn(Store, usize) -> F) -> Vec<T>
    where
        T: Send + 'static,
        F: Future<Output = T> + Send + 'static,
    {
        let stores = [self.store.clone(), self.another().await];
        let mut asking = JoinSet::new();
        for nth in 0..number {
            asking.spawn(ask(stores[nth % 2].clone(), nth));
        }
        asking.join_all().await
    }

    /// Adds a lead with a webhook delivery.
    pub async fn add(&self, form: ContactForm<'_>) -> String {
        self.add_with(form, WEBHOOK, None).await
    }

    pub async fn add_held(&self, form: ContactForm<'_>) -> String {
        self.add_with(form, WEBHOOK, HELD).await
    }

    pub async fn add_with(
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

    /// Adds a lead that came in this many hours ago.
    pub async fn add_earlier(&self, form: ContactForm<'_>, hours: i64) -> String {
        let id = self.add(form).await;
        let then = self.now() - SignedDuration::from_hours(hours);
        let sql = format!("UPDATE contacts SET created_at = '{then:.3}' WHERE id = '{id}'");
        self.database.sql().run(&sql);
        id
    }

    /// Takes up to eight deliveries that are due.
    pub async fn claim(&self, kinds: &'static [DeliveryKind], now: Timestamp) -> Vec<Claim> {
        let claims = self.store.claim_deliveries(kinds, 8, MAX_LEASE, now);
        claims.await.unwrap()
    }

    /// Changes a lead as the owner does.
    pub async fn act(&self, id: &str, action: LeadAction) {
        let acted = self.store.act_on_lead(id, action, None, self.now());
        acted.await.unwrap();
    }

    pub async fn mark(&self, id: &str, state: LeadState) {
        self.act(id, LeadAction::Mark(state)).await;
    }

    pub async fn deliveries(&self) -> Vec<Delivery> {
        super::deliveries(&self.store).await
    }

    pub async fn only_delivery(&self) -> Delivery {
        let mut all = self.deliveries().await;
        assert_eq!(all.len(), 1);
        all.remove(0)
    }

    /// Signs somebody up for the newsletter, with a mail server set up.
    pub async fn subscribe(&self, email: &str) -> Subscribed {
        let subscription = subscription(email, None);
        let asked = self.store.subscribe(subscription, true, self.now());
        asked.await.unwrap()
    }

    /// Confirms everybody who has a confirmation mail due.
    pub async fn confirm_all(&self) {
        for claim in self.claim(&[DeliveryKind::Confirm], self.now()).await {
            let ClaimedContent::Subscriber(invitation) = claim.content else {
                panic!("not about a subscriber");
            };
            let (confirm, token) = (LinkPurpose::Confirm, &invitation.confirm);
            let followed = self.store.follow_link(token, confirm, self.now());
            assert_eq!(followed.await.unwrap(), LinkState::Open);
        }
    }

    pub async fn add_confirmed(&self, number: usize) {
        let person = |number| Import {
            email: Email::parse(&format!("person{number}@example.org")).unwrap(),
            consent: "They agreed.".into(),
            file_name: "people.csv".into(),
            source: None,
            welcome: Welcome::ConfirmedElsewhere(None),
        };
        let people: Vec<_> = (0..number).map(person).collect();
        // Few enough to be done within the store's time limit on a busy machine.
        for some in people.chunks(20) {
            self.store
                .import_subscribers(some.to_vec(), self.now())
                .await
                .unwrap();
        }
    }

    /// The progress of the issue with this text, when none of its mails is on its way any more.
    pub async fn issue_counts(&self, text: &str) -> IssueCounts {
        let file = Path::new("issue.md");
        let issue = Issue::of_file(text.as_bytes(), file, site(), |_| None).unwrap();
        let settled = self.now() + MAX_HAND_OVER;
        self.store.issue_counts(&issue.id, settled).await.unwrap()
    }

    /// Writes a file beside the database.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.database.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.database.command(arguments);
        command.env("FRONTDOOR_MAIL_FROM", "Front Desk <desk@site.example>");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(&mut self.command(arguments))
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run(arguments).json()
    }

    /// Schedules an issue.
    pub fn schedule(&self, file: &str, text: &str, at: Timestamp) -> CommandOutput {
        let (file, at) = (self.write(file, text), at.to_string());
        let send = ["newsletter", "send", file.to_str().unwrap(), "--at", &at];
        self.run(&[&send[..], &["--rate", "0", "--yes"]].concat())
    }

    pub fn run_with_mail(&self, arguments: &[&str], smtp_url: &str) -> CommandOutput {
        run(self.command(arguments).env("FRONTDOOR_SMTP_URL", smtp_url))
    }

    pub fn start_with_mail(&self, arguments: &[&str], smtp_url: &str) -> Child {
        let mut command = self.command(arguments);
        command.env("FRONTDOOR_SMTP_URL", smtp_url);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }
}

pub fn webhook_settings(url: &str) -> WebhookSettings {
    WebhookSettings {
        url: Secret::new(url.parse().unwrap()),
        secret: None,
        header: None,
    }
}

pub fn mail_settings(smtp_url: &str) -> MailSettings {
    MailSettings {
        server: smtp_url.parse().unwrap(),
        from: "Front Desk <desk@site.example>".parse().ok(),
        notify: Some(vec!["owner@site.example".parse().unwrap()]),
        digest_hour: None,
        auto_reply: true,
        reply_copy: true,
    }
}
