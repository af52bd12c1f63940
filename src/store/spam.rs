//! The spam filter's training: what the owner says of leads.
//!
//! Each lead keeps the words it was counted with, so that exactly those can be
//! taken back when the owner thinks again and when the person is forgotten. When
//! a lead is only removed for its age, the counts stay: they lead back to nobody.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::health::lock;
use super::tx::{Tx, args};
use super::{Result, Store};
use crate::domain::stored_enum;
use crate::spam::{self, Lessons, Tally, Weights};

stored_enum!(
    /// What the owner says of a lead.
    SpamLabel {
        Spam = "spam",
        Genuine = "genuine",
    }
);

/// The number under which messages themselves are counted.
const MESSAGES: i64 = -1;

/// Weights are renewed after this: the owner may label leads in another process.
const FRESH_FOR: Duration = Duration::from_secs(30);

/// By how much each count changes: of spam, and of genuine messages.
type Changes = BTreeMap<i64, (i64, i64)>;

impl Store {
    /// Trains the spam filter with what the owner says of a lead. Each lead counts
    /// once, by its latest label. False when there is no such lead.
    pub async fn train(&self, id: &str, label: SpamLabel) -> Result<bool> {
        let id = id.to_owned();
        self.write(move |tx| train(tx, &id, Some(label))).await
    }

    /// All counts of the spam filter.
    pub async fn lessons(&self) -> Result<Lessons> {
        self.read(|tx| {
            let mut lessons = Lessons::default();
            for row in tx.query("SELECT word, spam, genuine FROM spam_words", &[])? {
                let number = |column| row.get::<i64>(column).map(|count| count.max(0) as u32);
                let tally = Tally {
                    spam: number("spam")?,
                    genuine: number("genuine")?,
                };
                match row.get::<u32>("word") {
                    Ok(word) => drop(lessons.words.insert(word, tally)),
                    Err(_) => lessons.messages = tally,
                }
            }
            Ok(lessons)
        })
        .await
    }
}

/// Without a label, takes back what the lead was counted with. False when there
/// is no such lead.
fn train(tx: &mut Tx<'_>, id: &str, label: Option<SpamLabel>) -> Result<bool> {
    tx.lock("spam words")?;
    let sql = "SELECT name, email, message, spam_lesson FROM contacts WHERE id = $1";
    let Some(row) = tx.first(sql, args![id])? else {
        return Ok(false);
    };
    let before: Option<String> = row.get("spam_lesson")?;
    let before = before.as_deref().and_then(read);
    if before.as_ref().map(|(label, _)| *label) == label {
        return Ok(true);
    }
    let mut changes = Changes::new();
    if let Some((before, words)) = before {
        count(&mut changes, before, &words, -1);
    }
    let mut kept = None;
    if let Some(label) = label {
        let text = |column| row.get::<String>(column);
        let words = spam::numbers(&text("name")?, &text("email")?, &text("message")?);
        let words: Vec<_> = words.into_iter().map(i64::from).collect();
        count(&mut changes, label, &words, 1);
        let words: Vec<_> = words.iter().map(i64::to_string).collect();
        kept = Some(format!("{}:{}", label.as_str(), words.join(",")));
    }
    for (word, (spam, genuine)) in changes.into_iter().filter(|(_, change)| *change != (0, 0)) {
        tx.execute(
            "INSERT INTO spam_words (word, spam, genuine) VALUES ($1, $2, $3)
            ON CONFLICT (word) DO UPDATE SET spam = spam_words.spam + excluded.spam,
                genuine = spam_words.genuine + excluded.genuine",
            args![word, spam, genuine],
        )?;
    }
    let sql = "DELETE FROM spam_words WHERE spam <= 0 AND genuine <= 0";
    tx.execute(sql, &[])?;
    let sql = "UPDATE contacts SET spam_lesson = $2 WHERE id = $1";
    tx.execute(sql, args![id, kept])?;
    Ok(true)
}

/// Before a person is removed.
pub(super) fn forget(tx: &mut Tx<'_>, email_key: &str) -> Result<()> {
    let sql = "SELECT id FROM contacts WHERE email_key = $1 AND spam_lesson IS NOT NULL";
    let ids: Vec<String> = tx.column(sql, args![email_key])?;
    ids.iter().try_for_each(|id| train(tx, id, None).map(drop))
}

fn count(changes: &mut Changes, label: SpamLabel, words: &[i64], by: i64) {
    for word in words.iter().chain(&[MESSAGES]) {
        let change = changes.entry(*word).or_default();
        match label {
            SpamLabel::Spam => change.0 += by,
            SpamLabel::Genuine => change.1 += by,
        }
    }
}

fn read(text: &str) -> Option<(SpamLabel, Vec<i64>)> {
    let (label, words) = text.split_once(':')?;
    let words = words.split(',').filter_map(|word| word.parse().ok());
    Some((label.parse().ok()?, words.collect()))
}

/// The spam filter's weights, in memory: scoring a lead asks no database.
#[derive(Clone)]
pub struct LiveWeights {
    store: Store,
    /// And when they were last asked for.
    known: Arc<Mutex<(Arc<Weights>, Instant)>>,
}

impl LiveWeights {
    /// Without an answer the program goes by its own examples.
    pub async fn read(store: &Store) -> Self {
        let counts = store.lessons().await.unwrap_or_default();
        let weights = Arc::new(Weights::known(&counts));
        Self {
            store: store.clone(),
            known: Arc::new(Mutex::new((weights, Instant::now()))),
        }
    }

    /// Doesn't wait: old weights are renewed for the leads that come next.
    pub fn known(&self) -> Arc<Weights> {
        let (weights, asked_at) = &mut *lock(&self.known);
        if asked_at.elapsed() > FRESH_FOR {
            *asked_at = Instant::now();
            tokio::spawn(self.clone().renew());
        }
        weights.clone()
    }

    async fn renew(self) {
        if let Ok(counts) = self.store.lessons().await {
            lock(&self.known).0 = Arc::new(Weights::known(&counts));
        }
    }
}
