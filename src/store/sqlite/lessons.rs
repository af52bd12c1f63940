//! Learning from the owner's marks, and taking it back.

use rusqlite::{Connection, OptionalExtension as _, params};

use super::Sqlite;
use crate::spam::Lessons;
use crate::store::Result;
use crate::store::lessons::{Changes, Lesson, Pupil, lessons};

impl Sqlite {
    pub async fn teach(&self, id: String, lesson: Option<Lesson>) -> Result<bool> {
        self.writer.run(move |db| teach(db, &id, lesson)).await
    }

    pub async fn lessons(&self) -> Result<Lessons> {
        let work = |db: &Connection| {
            let mut query = db.prepare_cached("SELECT word, spam, genuine FROM spam_words")?;
            let rows = query.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            Ok(lessons(rows.collect::<rusqlite::Result<Vec<_>>>()?))
        };
        self.readers.run(work).await
    }
}

/// Part of a transaction. False when there is no such lead.
pub fn teach(db: &Connection, id: &str, lesson: Option<Lesson>) -> rusqlite::Result<bool> {
    let mut query =
        db.prepare_cached("SELECT name, email, message, spam_lesson FROM contacts WHERE id = ?1")?;
    let pupil = query.query_row([id], |row| {
        Ok(Pupil {
            name: row.get(0)?,
            email: row.get(1)?,
            message: row.get(2)?,
            lesson: row.get(3)?,
        })
    });
    let Some(pupil) = pupil.optional()? else {
        return Ok(false);
    };
    if let Some((kept, changes)) = pupil.teach(lesson) {
        change(db, &changes)?;
        let sql = "UPDATE contacts SET spam_lesson = ?1 WHERE id = ?2";
        db.execute(sql, params![kept, id])?;
    }
    Ok(true)
}

/// Before a person is removed.
pub fn forget(db: &Connection, email_key: &str) -> rusqlite::Result<()> {
    let mut query = db.prepare_cached(
        "SELECT id FROM contacts WHERE email_key = ?1 AND spam_lesson IS NOT NULL",
    )?;
    let ids: Vec<String> = query
        .query_map([email_key], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    ids.iter()
        .try_for_each(|id| teach(db, id, None).map(|_| ()))
}

fn change(db: &Connection, changes: &Changes) -> rusqlite::Result<()> {
    let mut update = db.prepare_cached(
        "INSERT INTO spam_words (word, spam, genuine) VALUES (?1, ?2, ?3)
        ON CONFLICT (word) DO UPDATE SET spam = spam + ?2, genuine = genuine + ?3",
    )?;
    let mut remove =
        db.prepare_cached("DELETE FROM spam_words WHERE word = ?1 AND spam <= 0 AND genuine <= 0")?;
    for (word, (spam, genuine)) in changes {
        update.execute(params![word, spam, genuine])?;
        remove.execute([word])?;
    }
    Ok(())
}
