//! What a request for the newsletter leads to; the same as on a file
//! (`sqlite/subscribe.rs`).

use jiff::Timestamp;
use tokio_postgres::types::Type;
use uuid::Uuid;

use super::ask::Value;
use super::claims::not_leased;
use super::recent::{NOW, with_present};
use crate::domain::Subscription;
use crate::store::columns::CONSENT;
use crate::store::{DeliveryKind, Subscribed, SubscriberState};

/// Rows, as many as the longest way through here needs: past consent,
/// subscriber, delivery and the note of it.
const CHANGES_OF_A_REQUEST: usize = 4;

/// What is known about an address before the request is stored.
pub struct Known {
    pub id: String,
    pub state: SubscriberState,
    pub held: bool,
    /// Its mails are refused: it may begin anew.
    pub suspended: bool,
    /// The earliest time for another confirmation mail.
    pub next_invitation: Timestamp,
    pub open: Option<OpenInvitation>,
}

/// A confirmation mail that has not arrived yet, as far as is known.
pub struct OpenInvitation {
    pub delivery_id: String,
    /// At least one attempt was not taken, and none is under way.
    pub failed: bool,
}

pub struct Request<'a> {
    pub new: &'a Subscription,
    pub key: &'a str,
    pub by_mail: bool,
    pub now: Timestamp,
}

/// At most four changes.
pub struct Plan {
    pub changes: Vec<Change>,
    pub done: Subscribed,
    /// By a worker, before the first of them.
    pub may_be_taken: bool,
}

/// A statement that changes so many rows.
pub struct Change {
    pub sql: String,
    cells: Vec<Cell>,
    rows: usize,
}

enum Cell {
    Text(Option<String>),
    Time(Timestamp),
    Number(i64),
}

impl Change {
    fn new(sql: impl Into<String>, cells: Vec<Cell>) -> Self {
        Self {
            sql: sql.into(),
            cells,
            rows: 1,
        }
    }

    pub fn values(&self) -> Vec<Value<'_>> {
        self.cells.iter().map(Cell::value).collect()
    }
}

impl Cell {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Text(word) => (word, Type::TEXT),
            Self::Time(time) => (time, Type::TIMESTAMPTZ),
            Self::Number(number) => (number, Type::INT8),
        }
    }
}

fn text(word: &str) -> Cell {
    Cell::Text(Some(word.to_owned()))
}

impl Request<'_> {
    pub fn settle(&self, known: Option<Known>) -> Plan {
        let (id, mut plan) = match known {
            None => self.welcome(),
            Some(known) => {
                let plan = self.answer(&known);
                (known.id, plan)
            }
        };
        self.even_out(&id, &mut plan);
        plan
    }

    /// Somebody new.
    fn welcome(&self) -> (String, Plan) {
        let id = Uuid::now_v7().to_string();
        let mut plan = Plan::of(Subscribed::Unchanged);
        plan.changes.push(self.insert(&id));
        if self.new.hold.is_none() {
            self.invite(&mut plan, &id, self.now);
        }
        (id, plan)
    }

    fn answer(&self, known: &Known) -> Plan {
        let (mut plan, id) = (Plan::of(Subscribed::Unchanged), &known.id);
        let gets_issues = known.state == SubscriberState::Confirmed && !known.suspended;
        if gets_issues || self.new.hold.is_some() {
            return plan;
        }
        if known.state == SubscriberState::Pending && !known.held {
            match &known.open {
                // Nothing has arrived: neither the pause between two mails nor
                // that between two attempts keeps the visitor from getting one.
                Some(open) if open.failed && self.by_mail => {
                    return self.start_over(&open.delivery_id);
                }
                None if known.next_invitation <= self.now => {}
                _ => return plan,
            }
        }
        if known.state != SubscriberState::Pending {
            plan.changes.push(keep_past_consent(id));
        }
        plan.changes.push(self.renew(id));
        // Who has just left and comes back is invited too, only a little later.
        self.invite(&mut plan, id, known.next_invitation.max(self.now));
        plan
    }

    /// A known address must not answer faster than a new one, so every request
    /// changes the same number of rows, in the same tables as far as can be.
    fn even_out(&self, id: &str, plan: &mut Plan) {
        if plan.done != Subscribed::Invited {
            let (stand_in, add) = self.call_for_mail(id, self.now);
            let remove = "DELETE FROM deliveries WHERE id = $1";
            plan.changes.push(add);
            plan.changes
                .push(Change::new(remove, vec![text(&stand_in)]));
        }
        while plan.changes.iter().map(|change| change.rows).sum::<usize>() < CHANGES_OF_A_REQUEST {
            let touch = "UPDATE subscribers SET last_asked_at = $2 WHERE id = $1";
            let cells = vec![text(id), Cell::Time(self.now)];
            plan.changes.push(Change::new(touch, cells));
        }
    }

    fn insert(&self, id: &str) -> Change {
        let sql = "INSERT INTO subscribers (id, email, state, created_at, page,
                consent_version, consent_text, hold_reason, email_key)
            VALUES ($1, $2, 'pending', $3, $4, $5, $6, $7, $8)";
        let hold = self.new.hold.map(|reason| reason.as_str().to_owned());
        // As it was written but for capitals: the key may spell it in a way
        // that no mail server knows.
        let mut cells = vec![text(id), text(&self.new.email.as_str().to_lowercase())];
        cells.extend(self.consent());
        cells.extend([Cell::Text(hold), text(self.key)]);
        Change::new(sql, cells)
    }

    /// The consent given now is the one that counts.
    fn renew(&self, id: &str) -> Change {
        let sql = format!("UPDATE subscribers SET {RENEWED} WHERE id = $1");
        let mut cells = vec![text(id)];
        cells.extend(self.consent());
        Change::new(sql, cells)
    }

    fn consent(&self) -> [Cell; 4] {
        let consent = &self.new.consent;
        [
            Cell::Time(self.now),
            Cell::Text(self.new.page.clone()),
            Cell::Number(consent.version.into()),
            Cell::Text(consent.wording.clone()),
        ]
    }

    /// Both rows, or neither if a worker has taken the delivery meanwhile.
    fn start_over(&self, delivery_id: &str) -> Plan {
        let sql = format!(
            "{}, started AS (
                UPDATE deliveries SET state = 'pending', attempts = 0,
                    next_attempt_at = {NOW}, planned_at = {NOW}, finished_at = NULL,
                    lease_token = NULL, lease_until = NULL
                WHERE id = $6 AND state IN ('pending', 'given_up') AND {}
                RETURNING subscriber_id)
            UPDATE subscribers SET {RENEWED} FROM started WHERE id = subscriber_id",
            with_present(),
            not_taken()
        );
        let mut cells = vec![Cell::Time(self.now)];
        cells.extend(self.consent());
        cells.push(text(delivery_id));
        let both = Change {
            rows: 2,
            ..Change::new(sql, cells)
        };
        Plan {
            changes: vec![both],
            done: Subscribed::Invited,
            may_be_taken: true,
        }
    }

    fn invite(&self, plan: &mut Plan, id: &str, due: Timestamp) {
        if !self.by_mail {
            plan.done = Subscribed::Unconfirmed;
            return;
        }
        let note = "UPDATE subscribers SET invited_at = $2, invitations = invitations + 1
            WHERE id = $1";
        plan.changes.push(self.call_for_mail(id, due).1);
        plan.changes
            .push(Change::new(note, vec![text(id), Cell::Time(due)]));
        plan.done = Subscribed::Invited;
    }

    /// The delivery's id comes with it.
    fn call_for_mail(&self, subscriber_id: &str, due: Timestamp) -> (String, Change) {
        let sql = "INSERT INTO deliveries (id, subscriber_id, kind, state, next_attempt_at,
                created_at)
            VALUES ($1, $2, $3, 'pending', $4, $5)";
        let (id, kind) = (Uuid::now_v7().to_string(), DeliveryKind::Confirm.as_str());
        let times = [Cell::Time(due), Cell::Time(self.now)];
        let mut cells = vec![text(&id), text(subscriber_id), text(kind)];
        cells.extend(times);
        (id, Change::new(sql, cells))
    }
}

impl Plan {
    fn of(done: Subscribed) -> Self {
        Self {
            changes: Vec::new(),
            done,
            may_be_taken: false,
        }
    }
}

/// `$2` to `$5` are [`Request::consent`].
const RENEWED: &str = "state = 'pending', created_at = $2, page = $3, consent_version = $4,
    consent_text = $5, confirmed_at = NULL, unsubscribed_at = NULL, hold_reason = NULL,
    import_file = NULL, import_source = NULL";

/// At least one attempt was not taken, and none is under way.
pub fn not_taken() -> String {
    let not_leased = not_leased();
    format!("((deliveries.state = 'given_up' OR attempts > 0) AND {not_leased})")
}

fn keep_past_consent(id: &str) -> Change {
    let consent = CONSENT.join(", ");
    let sql = format!(
        "INSERT INTO past_consents (subscriber_id, {consent})
        SELECT id, {consent} FROM subscribers WHERE id = $1"
    );
    Change::new(sql, vec![text(id)])
}
