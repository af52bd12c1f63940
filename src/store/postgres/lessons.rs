//! Learning from the owner's marks, and taking it back. Whoever changes the
//! counts has the turn for it ([`SPAM_WORDS`]), taken before any row.

use tokio_postgres::Transaction;
use tokio_postgres::types::Type;

use super::Postgres;
use super::addresses::are_of;
use super::ask::text;
use super::ids::IdKind;
use super::row::words;
use super::turns::{self, SPAM_WORDS};
use crate::spam::Lessons;
use crate::store::Result;
use crate::store::lessons::{Changes, Lesson, Pupil, lessons};

impl Postgres {
    pub async fn teach(&self, id: String, lesson: Option<Lesson>) -> Result<bool> {
        let Some(id) = self.ids.read(&id) else {
            return Ok(false);
        };
        self.in_time(async {
            let mut db = self.pool.get().await?;
            let step = db.transaction().await?;
            turns::lock(step.client(), &[SPAM_WORDS]).await?;
            let known = teach(&step, self.ids, &id, lesson).await?;
            step.commit().await?;
            Ok(known)
        })
        .await
    }

    pub async fn lessons(&self) -> Result<Lessons> {
        let sql = "SELECT word::bigint, spam::bigint, genuine::bigint FROM spam_words";
        let rows = self.rows(sql, &[]).await?;
        let rows = rows
            .iter()
            .map(|row| Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?)));
        Ok(lessons(rows.collect::<Result<Vec<_>>>()?))
    }
}

async fn teach(
    db: &Transaction<'_>,
    ids: IdKind,
    id: &str,
    lesson: Option<Lesson>,
) -> Result<bool> {
    let given = ids.value(1);
    let sql = format!(
        "SELECT name, email, message, spam_lesson FROM contacts WHERE id = {given} FOR UPDATE"
    );
    let found = db.query_typed(&sql, &[text(&id)]).await?;
    let Some(row) = found.first() else {
        return Ok(false);
    };
    let pupil = Pupil {
        name: words(row, "name")?,
        email: words(row, "email")?,
        message: words(row, "message")?,
        lesson: row.try_get("spam_lesson")?,
    };
    if let Some((kept, changes)) = pupil.teach(lesson) {
        change(db, &changes).await?;
        let sql = format!("UPDATE contacts SET spam_lesson = $2 WHERE id = {given}");
        db.execute_typed(&sql, &[text(&id), text(&kept)]).await?;
    }
    Ok(true)
}

/// Before a person is removed.
pub async fn forget(db: &Transaction<'_>, ids: IdKind, email_key: &str) -> Result<()> {
    turns::lock(db.client(), &[SPAM_WORDS]).await?;
    let theirs = are_of("$1");
    let sql = format!(
        "SELECT id::text FROM contacts WHERE {theirs} AND spam_lesson IS NOT NULL ORDER BY id"
    );
    for row in db.query_typed(&sql, &[text(&email_key)]).await? {
        teach(db, ids, row.try_get(0)?, None).await?;
    }
    Ok(())
}

async fn change(db: &Transaction<'_>, changes: &Changes) -> Result<()> {
    let words: Vec<i64> = changes.keys().copied().collect();
    let (spam, genuine): (Vec<i64>, Vec<i64>) = changes.values().copied().unzip();
    let values = [&words, &spam, &genuine].map(|numbers| (numbers as _, Type::INT8_ARRAY));
    let sql = "INSERT INTO spam_words AS known (word, spam, genuine)
        SELECT * FROM unnest($1, $2, $3)
        ON CONFLICT (word) DO UPDATE
            SET spam = known.spam + excluded.spam, genuine = known.genuine + excluded.genuine";
    db.execute_typed(sql, &values).await?;
    let sql = "DELETE FROM spam_words WHERE word = ANY($1) AND spam <= 0 AND genuine <= 0";
    db.execute_typed(sql, &values[..1]).await?;
    Ok(())
}
