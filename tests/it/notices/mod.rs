//! What the owner is told without asking, from a stored lead to a real HTTP receiver and mail server.
//! The tests set the clock.

mod faults;
mod reminders;

use frontdoor::notices::{NoticeSettings, OwnerNotifier};
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::{Clock, Worker};
use frontdoor::store::Store;
use jiff::SignedDuration;

use crate::support::{
    Call, Mail, MailServer, Receiver, TestStore, mail_settings, webhook_settings,
};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn settings() -> NoticeSettings {
    NoticeSettings {
        mail: true,
        webhook: true,
        promise: HOUR * 24,
        digest_hour: None,
    }
}

/// One of several servers: its notifier, and both workers of its outbox.
struct Replica {
    notifier: OwnerNotifier,
    clock: Clock,
    mail: Worker<Mailer>,
    webhook: Worker<Webhook>,
}

impl Replica {
    /// Checks what the owner must be told, then delivers all that is due.
    async fn run_once(&self) {
        self.notifier.run_once((self.clock)()).await;
        self.mail.drain().await;
        self.webhook.drain().await;
    }
}

struct Setup {
    test: TestStore,
    mail: MailServer,
    hook: Receiver,
}

impl Setup {
    async fn new() -> Self {
        Self::with(MailServer::start(), Receiver::accepting().await).await
    }

    async fn with(mail: MailServer, hook: Receiver) -> Self {
        let test = TestStore::at_noon().await;
        Self { test, mail, hook }
    }

    fn replica(&self, settings: NoticeSettings) -> Replica {
        self.replica_on(&self.test.store, settings)
    }

    fn replica_on(&self, store: &Store, settings: NoticeSettings) -> Replica {
        let mailer = self.test.mailer(&mail_settings(&self.mail.url));
        let webhook = Webhook::new(&webhook_settings(&self.hook.url)).unwrap();
        Replica {
            notifier: OwnerNotifier::new(store.clone(), settings, None),
            clock: self.test.clock(),
            mail: self.test.worker(mailer),
            webhook: self.test.worker(webhook),
        }
    }

    /// The mails whose subject has these words.
    fn mails(&self, words: &str) -> Vec<Mail> {
        let mut mails = self.mail.taken();
        mails.retain(|mail| mail.subject().contains(words));
        mails
    }

    fn calls(&self, event: &str) -> Vec<Call> {
        let mut calls = self.hook.calls();
        calls.retain(|call| call.header("frontdoor-event") == event);
        calls
    }
}
