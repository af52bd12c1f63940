//! What has become of every form and every delivery, told from the database,
//! the visitors' memory and the automation's.

use std::collections::HashMap;
use std::fmt::{Display, Formatter, Result};

use super::automation::Taken;
use super::load::Memory;
use crate::support::postgres::Session;

pub struct Verdict {
    acknowledged: usize,
    stored: usize,
    /// Thanked for and not there, or there under another id.
    lost: usize,
    /// Rows beyond the first of one form.
    doubled: usize,
    /// The visitor was told that it failed, and did not try again.
    stored_in_doubt: usize,
    accepted: usize,
    repeated: usize,
    /// Not accepted by the automation, or with other words.
    undelivered: usize,
    /// Accepted by the automation, and not there.
    invented: usize,
    overlapping: usize,
    /// Told one id and then another for the same form.
    pub contradicted: usize,
}

impl Verdict {
    /// Each of these must be none.
    pub fn broken_promises(&self) -> [(&str, usize); 6] {
        [
            ("lost", self.lost),
            ("doubled", self.doubled),
            ("undelivered", self.undelivered),
            ("invented", self.invented),
            ("overlapping", self.overlapping),
            ("contradicted", self.contradicted),
        ]
    }

    pub fn over(database: &Session, visitors: &Memory, taken: &Taken) -> Self {
        let leads = Leads::read(database);
        let deliveries = deliveries(database);
        let (thanked, refused): (Vec<_>, Vec<_>) = visitors.plain.iter().partition(|form| *form.1);
        let is_stored = |form: &&(&String, &bool)| leads.has(form.0);
        let mut keyed = visitors.keyed.iter();
        let lost_keyed = keyed.by_ref().filter(|(words, id)| !leads.is(words, id));
        let mut sent = deliveries.iter();
        let undelivered = sent
            .by_ref()
            .filter(|(id, words)| taken.accepted.get(*id) != Some(words));
        let mut accepted = taken.accepted.keys();
        let invented = accepted.by_ref().filter(|id| !deliveries.contains_key(*id));
        Self {
            acknowledged: visitors.keyed.len() + thanked.len(),
            stored: leads.rows,
            lost: lost_keyed.count() + thanked.len() - thanked.iter().filter(is_stored).count(),
            doubled: leads.rows - leads.by_words.len(),
            stored_in_doubt: refused.iter().filter(is_stored).count(),
            accepted: taken.accepted.len(),
            repeated: taken.repeated,
            undelivered: undelivered.count(),
            invented: invented.count(),
            overlapping: taken.overlapping,
            contradicted: visitors.contradicted,
        }
    }
}

impl Display for Verdict {
    fn fmt(&self, text: &mut Formatter<'_>) -> Result {
        write!(
            text,
            "{} acknowledged, {} stored ({} of them after an answer that left it open), {} lost, \
             {} doubled; {} deliveries accepted ({} sent again), {} undelivered, {} invented, \
             {} sent twice at a time; {} told another id than before",
            self.acknowledged,
            self.stored,
            self.stored_in_doubt,
            self.lost,
            self.doubled,
            self.accepted,
            self.repeated,
            self.undelivered,
            self.invented,
            self.overlapping,
            self.contradicted,
        )
    }
}

struct Leads {
    rows: usize,
    /// One id of each.
    by_words: HashMap<String, String>,
}

impl Leads {
    fn read(database: &Session) -> Self {
        let rows = pairs(database, "SELECT message, id FROM contacts");
        Self {
            rows: rows.len(),
            by_words: rows.into_iter().collect(),
        }
    }

    fn has(&self, words: &str) -> bool {
        self.by_words.contains_key(words)
    }

    fn is(&self, words: &str, id: &str) -> bool {
        self.by_words.get(words).is_some_and(|stored| stored == id)
    }
}

/// Their ids, and the words they carry; a lead that has none counts as one.
fn deliveries(database: &Session) -> HashMap<String, String> {
    let sql = "SELECT coalesce(deliveries.id, contacts.id), message
        FROM contacts LEFT JOIN deliveries ON contact_id = contacts.id";
    pairs(database, sql).into_iter().collect()
}

fn pairs(database: &Session, sql: &str) -> Vec<(String, String)> {
    let rows = database.rows(sql).into_iter();
    let pair = |row| <[String; 2]>::try_from(row).expect("two columns").into();
    rows.map(pair).collect()
}
