//! The owner's desk: a database, the program to run on it, and a store of the
//! test's that keeps it open like a server would.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use frontdoor::content::SITE;
use frontdoor::domain::{ContactForm, HoldReason, LinkToken};
use frontdoor::newsletter::Issue;
use frontdoor::store::{
    About, Claim, DeliveryKind, IssueCounts, LONGEST_LEASE, LinkPurpose, LinkState, NewLead, Store,
    Subscribed,
};
use jiff::Timestamp;
use serde_json::Value;
use tokio::task::JoinSet;

use super::data::{lead, subscription};
use super::database::Database;
use super::process::{Said, frontdoor, run};

const CONFIRM: &[DeliveryKind] = &[DeliveryKind::Confirm];

pub struct Office {
    pub store: Store,
    pub database: Database,
}

impl Office {
    pub async fn open() -> Self {
        Self::over(Database::new()).await
    }

    pub async fn over(database: Database) -> Self {
        let store = database.create().await;
        Self { store, database }
    }

    /// How far the issue with this text is.
    pub async fn issue_counts(&self, text: &str) -> IssueCounts {
        let issue = Issue::parse(text.as_bytes(), &SITE).unwrap();
        self.store.issue_counts(&issue.id).await.unwrap()
    }

    /// A file of the owner's.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.database.path(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub async fn add(&self, form: ContactForm<'_>, hold: Option<HoldReason>) -> String {
        let lead = NewLead { hold, ..lead(form) };
        let added = self.store.add_lead(lead, Timestamp::now()).await;
        added.unwrap().id
    }

    pub async fn subscribe(&self, email: &str, hold: Option<HoldReason>, by_mail: bool) {
        let subscription = subscription(email, hold);
        let stored = self
            .store
            .subscribe(subscription, by_mail, Timestamp::now());
        stored.await.unwrap();
    }

    /// Confirms whoever waits for a mail, some at a time as the outbox claims them:
    /// a claim of hundreds may take longer than the store lets one take.
    pub async fn confirm_all(&self) {
        loop {
            let claimed = self
                .store
                .claim(CONFIRM, 32, LONGEST_LEASE, Timestamp::now());
            let claims = claimed.await.unwrap();
            if claims.is_empty() {
                return;
            }
            let mut confirming = JoinSet::new();
            for claim in claims {
                let store = self.store.clone();
                confirming.spawn(async move {
                    let (token, now) = (confirm_token(&claim), Timestamp::now());
                    let followed = store.follow_link(&token, LinkPurpose::Confirm, now);
                    assert_eq!(followed.await.unwrap(), LinkState::Open);
                });
            }
            confirming.join_all().await;
        }
    }

    pub async fn add_confirmed(&self, number: usize) {
        let mut subscribing = JoinSet::new();
        for person in 0..number {
            let store = self.store.clone();
            let subscription = subscription(&format!("person{person}@example.org"), None);
            subscribing.spawn(async move {
                let subscribed = store.subscribe(subscription, true, Timestamp::now());
                assert_eq!(subscribed.await.unwrap(), Subscribed::Invited);
            });
            at_most_so_many(&mut subscribing).await;
        }
        subscribing.join_all().await;
        self.confirm_all().await;
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = frontdoor(arguments);
        command
            .env("DATABASE_URL", self.database.url())
            .env("FRONTDOOR_MAIL_FROM", "Front Desk <desk@site.example>");
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Said {
        run(&mut self.command(arguments))
    }

    pub fn json(&self, arguments: &[&str]) -> Value {
        self.run(arguments).json()
    }

    /// With a mail server.
    pub fn run_with_mail(&self, arguments: &[&str], smtp_url: &str) -> Said {
        run(self.command(arguments).env("FRONTDOOR_SMTP_URL", smtp_url))
    }

    pub fn start_with_mail(&self, arguments: &[&str], smtp_url: &str) -> Child {
        let mut command = self.command(arguments);
        command.env("FRONTDOOR_SMTP_URL", smtp_url);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }
}

/// The store lets only so many wait, and tells the others to come again.
pub async fn at_most_so_many(under_way: &mut JoinSet<()>) {
    if under_way.len() >= 64 {
        under_way.join_next().await.unwrap().unwrap();
    }
}

fn confirm_token(claim: &Claim) -> LinkToken {
    match &claim.about {
        About::Subscriber(invitation) => invitation.confirm.clone(),
        _ => panic!("not about a subscriber"),
    }
}
