//! What the owner's marks teach about spam.
//!
//! Each lead keeps what was learned from it, so that exactly that can be taken
//! back: when the owner changes their mind, and when the person is forgotten.
//! When a lead is only removed for its age, what it taught stays: numbers that
//! lead back to nobody.

use std::collections::BTreeMap;

use super::{Result, Store, on_engine};
use crate::domain::stored_enum;
use crate::spam::{self, Lessons, Tally};

stored_enum!(
    /// What the owner says of a lead.
    Lesson {
        Spam = "spam",
        Genuine = "genuine",
    }
);

/// The number under which messages themselves are counted.
pub const MESSAGES: i64 = -1;

/// By how much each count changes: of spam, and of genuine messages.
pub type Changes = BTreeMap<i64, (i64, i64)>;

/// A lead as far as it teaches.
pub struct Pupil {
    pub name: String,
    pub email: String,
    pub message: String,
    /// What it has taught already.
    pub lesson: Option<String>,
}

impl Pupil {
    /// What is to be kept with the lead, and how the counts change; nothing when
    /// it has taught just this.
    pub fn teach(&self, lesson: Option<Lesson>) -> Option<(Option<String>, Changes)> {
        let before = self.lesson.as_deref().and_then(read);
        if before.as_ref().map(|(lesson, _)| *lesson) == lesson {
            return None;
        }
        let mut changes = Changes::new();
        if let Some((before, words)) = before {
            count(&mut changes, before, &words, -1);
        }
        let after = lesson.map(|lesson| {
            let words = spam::numbers(&self.name, &self.email, &self.message);
            let words: Vec<_> = words.into_iter().map(i64::from).collect();
            count(&mut changes, lesson, &words, 1);
            written(lesson, &words)
        });
        changes.retain(|_, change| *change != (0, 0));
        Some((after, changes))
    }
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

fn written(lesson: Lesson, words: &[i64]) -> String {
    let words: Vec<_> = words.iter().map(i64::to_string).collect();
    format!("{}:{}", lesson.as_str(), words.join(","))
}

fn read(text: &str) -> Option<(Lesson, Vec<i64>)> {
    let (lesson, words) = text.split_once(':')?;
    let words = words.split(',').filter_map(|word| word.parse().ok());
    Some((lesson.parse().ok()?, words.collect()))
}

/// From rows of word, spam and genuine.
pub fn lessons(rows: impl IntoIterator<Item = (i64, i64, i64)>) -> Lessons {
    let number = |count: i64| u32::try_from(count).unwrap_or_default();
    let mut lessons = Lessons::default();
    for (word, spam, genuine) in rows {
        let (spam, genuine) = (number(spam), number(genuine));
        let tally = Tally { spam, genuine };
        match u32::try_from(word) {
            Ok(word) => drop(lessons.words.insert(word, tally)),
            Err(_) => lessons.messages = tally,
        }
    }
    lessons
}

impl Store {
    /// Learns what the owner says of a lead: once, however often it is said; who
    /// says the contrary later moves its words. False when there is no such lead.
    pub async fn learn(&self, id: &str, lesson: Lesson) -> Result<bool> {
        on_engine!(self, db => db.teach(id.to_owned(), Some(lesson)).await)
    }

    /// Takes back what was learned from a lead. False when there is no such lead.
    pub async fn unlearn(&self, id: &str) -> Result<bool> {
        on_engine!(self, db => db.teach(id.to_owned(), None).await)
    }

    /// All that the owner's marks have taught.
    pub async fn lessons(&self) -> Result<Lessons> {
        on_engine!(self, db => db.lessons().await)
    }
}
