//! What the owner is told unasked, from a stored lead to a real HTTP receiver
//! and a real SMTP conversation. Time is moved by hand.

mod digest;
mod faults;
mod program;
mod reminders;

use frontdoor::notices::{OwnerNotifier, Plan};
use frontdoor::outbox::mail::Mailer;
use frontdoor::outbox::webhook::Webhook;
use frontdoor::outbox::worker::{Clock, Worker};
use frontdoor::store::Store;
use jiff::SignedDuration;
use mail_parser::MessageParser;

use crate::support::desk::{Desk, mail_settings, webhook_settings};
use crate::support::mail_server::{Mail, MailServer};
use crate::support::receiver::{Call, Receiver};

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

/// One server of several: what it tells, and both lanes.
struct Replica {
    notifier: OwnerNotifier,
    clock: Clock,
    mail: Worker<Mailer>,
    webhook: Worker<Webhook>,
}

impl Replica {
    fn new(desk: &Desk, store: &Store, plan: Plan, mail: &MailServer, hook: &Receiver) -> Self {
        let settings = mail_settings(mail.url.clone());
        let mailer = Mailer::new(&settings, store.clone(), PROMISE, None).unwrap();
        let webhook = Webhook::new(&webhook_settings(&hook.url)).unwrap();
        Self {
            notifier: OwnerNotifier::new(store.clone(), plan, None),
            clock: desk.clock(),
            mail: desk.worker(mailer),
            webhook: desk.worker(webhook),
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
    desk: Desk,
    mail: MailServer,
    hook: Receiver,
}

impl Setup {
    async fn new() -> Self {
        Self::with(MailServer::start(None), Receiver::accepting().await).await
    }

    async fn with(mail: MailServer, hook: Receiver) -> Self {
        let desk = Desk::new().await;
        Self { desk, mail, hook }
    }

    fn replica(&self, plan: Plan) -> Replica {
        Replica::new(&self.desk, &self.desk.store, plan, &self.mail, &self.hook)
    }

    fn later(&self, by: SignedDuration) {
        self.desk.turn_clock_to(self.desk.now() + by);
    }

    /// The mails whose subject has these words.
    fn mails(&self, words: &str) -> Vec<Mail> {
        let mut mails = self.mail.taken();
        mails.retain(|mail| subject(mail).contains(words));
        mails
    }

    fn calls(&self, event: &str) -> Vec<Call> {
        let mut calls = self.hook.calls();
        calls.retain(|call| call.header("frontdoor-event") == event);
        calls
    }
}

fn subject(mail: &Mail) -> String {
    let message = MessageParser::new().parse(&mail.data).unwrap();
    message.subject().unwrap().to_owned()
}

fn text(mail: &Mail) -> String {
    let message = MessageParser::new().parse(&mail.data).unwrap();
    message.body_text(0).unwrap().replace("\r\n", "\n")
}
