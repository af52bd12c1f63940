//! A database with subscribers, and the program to run on it.

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use frontdoor::domain::{Consent, HoldReason, LinkToken, Subscription, subscriber_email};
use frontdoor::newsletter::Issue;
use frontdoor::site::SITE;
use frontdoor::store::{
    About, Claim, DeliveryKind, IssueCounts, LinkPurpose, LinkState, OpenMode, Store, Subscribed,
};
use jiff::Timestamp;
use tempfile::TempDir;
use tokio::task::JoinSet;

const CONFIRM: &[DeliveryKind] = &[DeliveryKind::Confirm];

pub struct Office {
    pub store: Store,
    directory: TempDir,
}

pub struct Said {
    pub code: i32,
    pub out: String,
    pub err: String,
}

impl Office {
    pub async fn open() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("office.db");
        let url = format!("sqlite://{}", path.display()).parse().unwrap();
        let store = Store::open(&url, OpenMode::Create).await.unwrap();
        Self { store, directory }
    }

    pub fn database(&self) -> PathBuf {
        self.directory.path().join("office.db")
    }

    /// How far the issue with this text is.
    pub async fn issue_counts(&self, text: &str) -> IssueCounts {
        let issue = Issue::parse(text.as_bytes(), &SITE).unwrap();
        self.store.issue_counts(&issue.id).await.unwrap()
    }

    /// A file of the owner's.
    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    }

    pub async fn subscribe(&self, email: &str, hold: Option<HoldReason>, by_mail: bool) {
        let subscription = subscription(email, hold);
        let stored = self
            .store
            .subscribe(subscription, by_mail, Timestamp::now());
        stored.await.unwrap();
    }

    /// Confirms whoever waits for a mail.
    pub async fn confirm_all(&self) {
        let claims = self
            .store
            .claim(CONFIRM, 100_000, Duration::from_secs(20), Timestamp::now())
            .await
            .unwrap();
        let mut confirming = JoinSet::new();
        for claim in claims {
            let store = self.store.clone();
            confirming.spawn(async move {
                let (token, now) = (confirm_token(&claim), Timestamp::now());
                store.follow_link(&token, LinkPurpose::Confirm, now).await
            });
        }
        while let Some(done) = confirming.join_next().await {
            assert_eq!(done.unwrap().unwrap(), LinkState::Open);
        }
    }

    pub async fn add_confirmed(&self, number: usize) {
        let mut subscribing = JoinSet::new();
        for person in 0..number {
            let store = self.store.clone();
            let subscription = subscription(&format!("person{person}@example.org"), None);
            subscribing
                .spawn(async move { store.subscribe(subscription, true, Timestamp::now()).await });
            // The store's queue is bounded, and so are we.
            if subscribing.len() >= 500 {
                subscribing.join_next().await;
            }
        }
        while let Some(done) = subscribing.join_next().await {
            assert_eq!(done.unwrap().unwrap(), Subscribed::Invited);
        }
        self.confirm_all().await;
    }

    pub fn command(&self, arguments: &[&str], smtp_url: &str) -> Command {
        let path = self.database();
        let mut command = Command::new(env!("CARGO_BIN_EXE_frontdoor"));
        command
            .args(arguments)
            .env_clear()
            .env("DATABASE_URL", format!("sqlite://{}", path.display()))
            .env("FRONTDOOR_SMTP_URL", smtp_url)
            .env("FRONTDOOR_MAIL_FROM", "Front Desk <desk@site.example>")
            .stdin(Stdio::null());
        command
    }

    pub fn run(&self, arguments: &[&str], smtp_url: &str) -> Said {
        let output = self.command(arguments, smtp_url).output().unwrap();
        said(&output)
    }

    pub fn start(&self, arguments: &[&str], smtp_url: &str) -> Child {
        let mut command = self.command(arguments, smtp_url);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command.spawn().unwrap()
    }
}

pub fn said(output: &Output) -> Said {
    Said {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout.clone()).unwrap(),
        err: String::from_utf8(output.stderr.clone()).unwrap(),
    }
}

fn subscription(email: &str, hold: Option<HoldReason>) -> Subscription {
    Subscription {
        email: subscriber_email(email).unwrap(),
        page: Some("/blog".into()),
        consent: Consent {
            version: 1,
            wording: Some("You agree to get email.".into()),
        },
        hold,
    }
}

fn confirm_token(claim: &Claim) -> LinkToken {
    match &claim.about {
        About::Subscriber(invitation) => invitation.confirm.clone(),
        _ => panic!("not about a subscriber"),
    }
}
