//! What the owner's marks teach the spam filter.
//!
//! Each lead keeps what was learned from it, so that exactly that can be taken
//! back: when the owner changes their mind, and when the person is forgotten.
//! When a lead is only removed for its age, what it taught stays: numbers that
//! lead back to nobody.

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
    Lesson {
        Spam = "spam",
        Genuine = "genuine",
    }
);

/// The number under which messages themselves are counted.
const MESSAGES: i64 = -1;

/// What is in memory is renewed after this: marks may be made elsewhere.
const FRESH_FOR: Duration = Duration::from_secs(30);

/// By how much each count changes: of spam, and of genuine messages.
type Changes = BTreeMap<i64, (i64, i64)>;

impl Store {
    /// Learns what the owner says of a lead: once, however often it is said; the
    /// contrary, said later, moves its words. False when there is no such lead.
    pub async fn learn(&self, id: &str, lesson: Lesson) -> Result<bool> {
        let id = id.to_owned();
        self.write(move |tx| train(tx, &id, Some(lesson))).await
    }

    /// Takes back what was learned from a lead. False when there is no such lead.
    pub async fn unlearn(&self, id: &str) -> Result<bool> {
        let id = id.to_owned();
        self.write(move |tx| train(tx, &id, None)).await
    }

    /// All that the owner's marks have taught.
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

/// False when there is no such lead.
fn train(tx: &mut Tx<'_>, id: &str, lesson: Option<Lesson>) -> Result<bool> {
    tx.lock("spam words")?;
    let sql = "SELECT name, email, message, spam_lesson FROM contacts WHERE id = $1";
    let Some(row) = tx.first(sql, args![id])? else {
        return Ok(false);
    };
    let before: Option<String> = row.get("spam_lesson")?;
    let before = before.as_deref().and_then(read);
    if before.as_ref().map(|(lesson, _)| *lesson) == lesson {
        return Ok(true);
    }
    let mut changes = Changes::new();
    if let Some((before, words)) = before {
        count(&mut changes, before, &words, -1);
    }
    let mut kept = None;
    if let Some(lesson) = lesson {
        let [name, email, message] = ["name", "email", "message"].map(|column| row.get(column));
        let (name, email, message): (String, String, String) = (name?, email?, message?);
        let words = spam::numbers(&name, &email, &message);
        let words: Vec<_> = words.into_iter().map(i64::from).collect();
        count(&mut changes, lesson, &words, 1);
        let words: Vec<_> = words.iter().map(i64::to_string).collect();
        kept = Some(format!("{}:{}", lesson.as_str(), words.join(",")));
    }
    for (word, (spam, genuine)) in changes.into_iter().filter(|(_, change)| *change != (0, 0)) {
        tx.execute(
            "INSERT INTO spam_words (word, spam, genuine) VALUES ($1, $2, $3)
            ON CONFLICT (word) DO UPDATE SET spam = spam_words.spam + excluded.spam,
                genuine = spam_words.genuine + excluded.genuine",
            args![word, spam, genuine],
        )?;
    }
    tx.execute(
        "DELETE FROM spam_words WHERE spam <= 0 AND genuine <= 0",
        &[],
    )?;
    tx.execute(
        "UPDATE contacts SET spam_lesson = $2 WHERE id = $1",
        args![id, kept],
    )?;
    Ok(true)
}

/// Before a person is removed.
pub(super) fn forget(tx: &mut Tx<'_>, email_key: &str) -> Result<()> {
    let sql = "SELECT id FROM contacts WHERE email_key = $1 AND spam_lesson IS NOT NULL";
    let ids: Vec<String> = tx.column(sql, args![email_key])?;
    ids.iter()
        .try_for_each(|id| train(tx, id, None).map(|_| ()))
}

fn count(changes: &mut Changes, lesson: Lesson, words: &[i64], by: i64) {
    for word in words.iter().chain(&[MESSAGES]) {
        let change = changes.entry(*word).or_default();
        match lesson {
            Lesson::Spam => change.0 += by,
            Lesson::Genuine => change.1 += by,
        }
    }
}

fn read(text: &str) -> Option<(Lesson, Vec<i64>)> {
    let (lesson, words) = text.split_once(':')?;
    let words = words.split(',').filter_map(|word| word.parse().ok());
    Some((lesson.parse().ok()?, words.collect()))
}

/// What is known of spam, in memory: scoring a lead asks no database.
#[derive(Clone)]
pub struct LiveLessons {
    store: Store,
    known: Arc<Mutex<Known>>,
}

struct Known {
    weights: Arc<Weights>,
    asked_at: Instant,
}

impl LiveLessons {
    /// Without an answer the program goes by its own examples.
    pub async fn read(store: &Store) -> Self {
        let marked = store.lessons().await.unwrap_or_default();
        let known = Known {
            weights: Arc::new(Weights::known(&marked)),
            asked_at: Instant::now(),
        };
        Self {
            store: store.clone(),
            known: Arc::new(Mutex::new(known)),
        }
    }

    /// Nobody waits: what is old is renewed for those who come after.
    pub fn known(&self) -> Arc<Weights> {
        let mut known = lock(&self.known);
        if known.asked_at.elapsed() > FRESH_FOR {
            known.asked_at = Instant::now();
            tokio::spawn(self.clone().renew());
        }
        known.weights.clone()
    }

    async fn renew(self) {
        if let Ok(marked) = self.store.lessons().await {
            let weights = Arc::new(Weights::known(&marked));
            lock(&self.known).weights = weights;
        }
    }
}
