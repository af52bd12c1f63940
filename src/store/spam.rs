//! Trains the spam filter from the owner's labels.
//!
//! Each lead keeps the word numbers counted for it, so that exactly those can be subtracted when
//! the owner changes the label or the person's data is deleted. If a lead is only deleted because
//! of its age, its counts stay: they identify no one.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::sync::OnceCell;

use super::health::lock;
use super::tx::{Tx, Value, args};
use super::{Result, Store};
use crate::domain::word_enum;
use crate::spam::{self, LabelCounts, TrainingCounts, Weights};

word_enum!(
    /// The owner's label for a lead.
    SpamLabel {
        Spam = "spam",
        Genuine = "genuine",
    }
);

/// The lock for counts of words.
pub(super) const WORDS: &str = "spam words";
/// The number under which messages themselves are counted.
const MESSAGES: i64 = -1;

/// Weights are reloaded after this time: another process may have added labels.
const FRESH_FOR: Duration = Duration::from_secs(30);

/// Rows per statement, because each is a slow round trip to a remote database.
const WORDS_AT_ONCE: usize = 100;

/// The change of each count, for spam and for genuine messages.
type Changes = BTreeMap<i64, (i64, i64)>;

impl Store {
    /// The counts from all of the owner's labels.
    pub async fn training_counts(&self) -> Result<TrainingCounts> {
        self.read(|tx| {
            let mut counts = TrainingCounts::default();
            for row in tx.query("SELECT word, spam, genuine FROM spam_words", &[])? {
                let number = |column| row.get::<i64>(column).map(|count| count.max(0) as u32);
                let labels = LabelCounts {
                    spam: number("spam")?,
                    genuine: number("genuine")?,
                };
                match row.get::<u32>("word") {
                    Ok(word) => drop(counts.words.insert(word, labels)),
                    Err(_) => counts.messages = labels,
                }
            }
            Ok(counts)
        })
        .await
    }
}

/// Labels a lead for the filter, or removes its label.
pub(super) fn set_label(tx: &mut Tx<'_>, id: &str, label: Option<SpamLabel>) -> Result<()> {
    tx.lock(WORDS)?;
    let sql = "SELECT name, email, message, spam_lesson FROM contacts WHERE id = $1";
    let Some(row) = tx.first(sql, args![id])? else {
        return Ok(());
    };
    let before: Option<String> = row.get("spam_lesson")?;
    let before = before.as_deref().and_then(parse_lesson);
    if before.as_ref().map(|(label, _)| *label) == label {
        return Ok(());
    }
    let mut changes = Changes::new();
    if let Some((before, words)) = before {
        count(&mut changes, before, &words, -1);
    }
    let mut lesson = None;
    if let Some(label) = label {
        let text = |column| row.get::<String>(column);
        let words = spam::numbers(&text("name")?, &text("email")?, &text("message")?);
        let words: Vec<_> = words.into_iter().map(i64::from).collect();
        count(&mut changes, label, &words, 1);
        let words: Vec<_> = words.iter().map(i64::to_string).collect();
        lesson = Some(format!("{}:{}", label.as_str(), words.join(",")));
    }
    changes.retain(|_, change| *change != (0, 0));
    let changes: Vec<_> = changes.into_iter().collect();
    for rows in changes.chunks(WORDS_AT_ONCE) {
        let numbers = |&(word, (spam, genuine)): &(i64, (i64, i64))| [word, spam, genuine];
        let values: Vec<_> = rows.iter().flat_map(numbers).map(Value::from).collect();
        let add = "ON CONFLICT (word) DO UPDATE SET spam = spam_words.spam + excluded.spam,
            genuine = spam_words.genuine + excluded.genuine";
        tx.insert("spam_words", &["word", "spam", "genuine"], &values, add)?;
    }
    let sql = "DELETE FROM spam_words WHERE spam <= 0 AND genuine <= 0";
    tx.execute(sql, &[])?;
    let sql = "UPDATE contacts SET spam_lesson = $2 WHERE id = $1";
    tx.execute(sql, args![id, lesson]).map(drop)
}

/// Called before a person's data is deleted.
pub(super) fn forget(tx: &mut Tx<'_>, email_key: &str) -> Result<()> {
    let sql = "SELECT id FROM contacts WHERE email_key = $1 AND spam_lesson IS NOT NULL";
    let ids: Vec<String> = tx.column(sql, args![email_key])?;
    ids.iter().try_for_each(|id| set_label(tx, id, None))
}

fn count(changes: &mut Changes, label: SpamLabel, words: &[i64], amount: i64) {
    for word in words.iter().chain(&[MESSAGES]) {
        let change = changes.entry(*word).or_default();
        match label {
            SpamLabel::Spam => change.0 += amount,
            SpamLabel::Genuine => change.1 += amount,
        }
    }
}

fn parse_lesson(text: &str) -> Option<(SpamLabel, Vec<i64>)> {
    let (label, words) = text.split_once(':')?;
    let words = words.split(',').filter_map(|word| word.parse().ok());
    Some((label.parse().ok()?, words.collect()))
}

/// The word weights in memory, so that scoring a lead needs no query.
#[derive(Clone)]
pub struct SpamWeights {
    store: Store,
    /// Read with the first lead: reading the bundled examples takes time.
    loaded: Arc<OnceCell<Mutex<Loaded>>>,
}

struct Loaded {
    weights: Arc<Weights>,
    read_at: Instant,
}

impl SpamWeights {
    pub fn new(store: Store) -> Self {
        let loaded = Arc::default();
        Self { store, loaded }
    }

    /// Old weights are returned, too, and reloaded in the background. If the store has never
    /// answered, only the bundled examples are used.
    pub async fn current(&self) -> Arc<Weights> {
        let first = async || {
            let counts = self.store.training_counts().await.unwrap_or_default();
            Mutex::new(Loaded {
                weights: Arc::new(Weights::with_examples(&counts)),
                read_at: Instant::now(),
            })
        };
        let mut loaded = lock(self.loaded.get_or_init(first).await);
        if loaded.read_at.elapsed() > FRESH_FOR {
            loaded.read_at = Instant::now();
            tokio::spawn(self.clone().reload());
        }
        loaded.weights.clone()
    }

    async fn reload(self) {
        if let (Ok(counts), Some(loaded)) = (self.store.training_counts().await, self.loaded.get())
        {
            let weights = Arc::new(Weights::with_examples(&counts));
            lock(loaded).weights = weights;
        }
    }
}
