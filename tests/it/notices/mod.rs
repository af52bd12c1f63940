//! What the owner is told unasked, from a stored lead to a real HTTP receiver
//! and a real SMTP conversation. Time is moved by hand.

mod faults;
mod reminders;

use frontdoor::notices::{OwnerNotifier, Plan};
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::{Clock, Worker};
use frontdoor::store::{LeadState, Store};
use jiff::SignedDuration;

use crate::support::{
    Call, Mail, MailServer, Receiver, TestStore, mail_settings, webhook_settings,
};

const PROMISE: SignedDuration = SignedDuration::from_hours(24);
const HOUR: SignedDuration = SignedDuration::from_hours(1);

fn plan() -> Plan {
    Plan {
        mail: true,
        webhook: true,
        promise: PROMISE,
        digest_hour: None,
    }
}

/// One server of several: what it tells the owner, and both lanes of its outbox.
struct Replica {
    notifier: OwnerNotifier,
    clock: Clock,
    mail: Worker<Mailer>,
    webhook: Worker<Webhook>,
}

impl Replica {
    fn new(
        test: &TestStore,
        store: &Store,
        plan: Plan,
        mail: &MailServer,
        hook: &Receiver,
    ) -> Self {
        let settings = mail_settings(&mail.url);
        let mailer = Mailer::new(&settings, store.clone(), PROMISE, None).unwrap();
        let webhook = Webhook::new(&webhook_settings(&hook.url)).unwrap();
        Self {
            notifier: OwnerNotifier::new(store.clone(), plan, None),
            clock: test.clock(),
            mail: test.worker(mailer),
            webhook: test.worker(webhook),
        }
    }

    /// Looks, and delivers all that is due.
    async fn turn(&self) {
        self.notifier.look((self.clock)()).await;
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

    fn replica(&self, plan: Plan) -> Replica {
        Replica::new(&self.test, &self.test.store, plan, &self.mail, &self.hook)
    }

    async fn set_state(&self, id: &str, state: LeadState) {
        let (ids, now) = ([id.to_owned()], self.test.now());
        let set = self.test.store.set_lead_state(&ids, state, now);
        set.await.unwrap();
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
