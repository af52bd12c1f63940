//! Leads: what the forms bring in, and what the owner does with it.

use std::time::Duration;

use jiff::Timestamp;
use serde::Serialize;

use super::{Cursor, DeliveryKind, LeadState, Result, Store, on_engine};
use crate::domain::{Contact, FormLocation, HoldReason, IdempotencyKey, SearchWords, Source};
use crate::spam::{Assessment, Reason};

/// One automatic reply per address in this time, however many forms name it:
/// nobody can be flooded with mail through us.
pub const AUTO_REPLY_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// One notice of held leads in this time: a flood of spam must not become one
/// of mail to the owner.
pub const HELD_NOTICE_PAUSE: Duration = Duration::from_secs(60 * 60);

/// The same words from a form without a key are one lead for this long.
pub const SAME_WORDS_WITHIN: Duration = Duration::from_secs(60);

/// Requests that come together may be stored in another order, so what counts
/// as a short time ago may be so much later than now. What was stored later
/// than that was stored before the clock was set back.
pub const AT_ONCE: Duration = Duration::from_secs(60);

/// A lead to be stored together with the deliveries it calls for.
#[derive(Debug, Clone)]
pub struct NewLead {
    pub contact: Contact,
    pub source: Source,
    /// Set: stored like any other, its deliveries wait for the owner.
    pub hold: Option<HoldReason>,
    /// What its own words say; the store adds who else sent them.
    pub spam: Assessment,
    pub idempotency_key: Option<IdempotencyKey>,
    /// As the log calls the request that brought it in.
    pub request_id: Option<String>,
    /// Which deliveries the present settings ask for.
    pub deliveries: Vec<DeliveryKind>,
}

impl NewLead {
    /// Of unknown source, not held, without a key; nothing is to be delivered.
    pub fn new(contact: Contact) -> Self {
        Self {
            contact,
            source: Source::default(),
            hold: None,
            spam: Assessment::default(),
            idempotency_key: None,
            request_id: None,
            deliveries: Vec::new(),
        }
    }
}

/// The answer to a stored lead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedLead {
    pub id: String,
    /// False when it was known, by its key or its words: the id is the first
    /// one's.
    pub created: bool,
    /// Why it was stored as held; nothing for one that was known.
    pub hold: Option<HoldReason>,
}

impl AddedLead {
    pub(super) fn known(id: String) -> Self {
        Self {
            id,
            created: false,
            hold: None,
        }
    }
}

/// A stored lead. Plain strings: a row may be older than today's rules.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct Lead {
    pub id: String,
    pub name: String,
    pub email: String,
    pub phone: Option<String>,
    pub message: String,
    pub form_location: String,
    pub created_at: Timestamp,
    pub hold_reason: Option<String>,
    pub released_at: Option<Timestamp>,
    /// Why a held lead looks like spam, what speaks for it first.
    pub spam_reasons: Vec<Reason>,
    pub state: LeadState,
    /// When it was answered first, unless it was opened again.
    pub answered_at: Option<Timestamp>,
    /// The owner's own words.
    pub note: Option<String>,
    pub source: Source,
}

/// Personal data must not reach a log through a stray `{:?}`.
impl std::fmt::Debug for Lead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Lead({})", self.id)
    }
}

/// Which leads to list, newest first.
#[derive(Debug, Clone, Default)]
pub struct LeadFilter {
    pub since: Option<Timestamp>,
    /// Only what waits for a release.
    pub held: bool,
    /// Only what is neither held nor spam.
    pub genuine: bool,
    pub state: Option<LeadState>,
    pub location: Option<FormLocation>,
    /// Where the visit came from or the campaign it belongs to, by its name.
    pub source: Option<String>,
    /// With a limit, and without `after`: those stored last.
    pub search: Option<SearchWords>,
    /// In any spelling.
    pub email: Option<String>,
    /// Only what comes after this place in the list.
    pub after: Option<Cursor>,
    pub limit: usize,
}

/// What releasing a lead did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Released {
    /// So many deliveries are on their way now.
    Now {
        deliveries: u64,
    },
    NotHeld,
    /// It is spam: it has to be opened again first.
    Spam,
    UnknownLead,
}

/// What is left of removed words where the database keeps its rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Remains {
    /// They are overwritten in its files.
    #[default]
    Nothing,
    /// They are not, and why: it can be tried again.
    InFiles(String),
    /// Old versions of rows, until the database server's next `VACUUM`.
    UntilVacuum,
}

/// What was removed about a person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Forgotten {
    pub contacts: u64,
    pub deliveries: u64,
    pub subscribers: u64,
    pub remains: Remains,
}

impl Store {
    /// Stores a lead and its deliveries, both or neither. With a known
    /// idempotency key nothing is stored and the first lead's id returned,
    /// even if the words differ: the first answer was already given.
    pub async fn add_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        let added = on_engine!(self, db => db.add_lead(lead, now).await)?;
        self.wakeups.wake();
        Ok(added)
    }

    /// The same for a form that cannot have a key: the same words in every
    /// field within a minute are one lead.
    pub async fn add_form_lead(&self, lead: NewLead, now: Timestamp) -> Result<AddedLead> {
        let added = on_engine!(self, db => db.add_form_lead(lead, now).await)?;
        self.wakeups.wake();
        Ok(added)
    }

    pub async fn lead(&self, id: &str) -> Result<Option<Lead>> {
        on_engine!(self, db => db.lead(id.to_owned()).await)
    }

    /// Newest first.
    pub async fn leads(&self, filter: LeadFilter) -> Result<Vec<Lead>> {
        let read = on_engine!(self, db => db.leads(filter).await)?;
        Ok(self.passed_over.note(read))
    }

    /// Lets a held lead's deliveries go out.
    pub async fn release(&self, id: &str, now: Timestamp) -> Result<Released> {
        let released = on_engine!(self, db => db.release(id.to_owned(), now).await)?;
        self.wakeups.wake();
        Ok(released)
    }

    /// Removes the leads with this address, which are nobody's: what stays of them
    /// in files need not be overwritten.
    pub async fn remove_leads(&self, email: &str) -> Result<()> {
        on_engine!(self, db => db.remove_leads(email.to_owned()).await)
    }

    /// Removes everything about the person with this address, and overwrites
    /// it in the files that are ours.
    pub async fn forget(&self, email: &str) -> Result<Forgotten> {
        on_engine!(self, db => db.forget(email.to_owned()).await)
    }
}
