//! A table `contacts` that was there before: a hosted backend's, with the
//! columns of a contact form and little else.
//!
//! It is given what it lacks. No row is written: every new column has a
//! constant for the rows that are there, and what another program inserts goes
//! on working. What cannot be used is refused, with the reason.

use tokio_postgres::Transaction;

use super::failure;
use super::ids::IdKind;
use crate::store::{Result, StoreError};

/// Of a lead, and of no other table of this name.
const NEEDED: [&str; 3] = ["name", "email", "message"];
const WORDS: [&str; 5] = ["name", "email", "phone", "message", "form_location"];

/// Beyond the form's own; the rest of 0001's.
const MISSING: &str = "ALTER TABLE contacts
    ADD COLUMN IF NOT EXISTS phone TEXT,
    ADD COLUMN IF NOT EXISTS form_location TEXT NOT NULL DEFAULT 'contact',
    ADD COLUMN IF NOT EXISTS hold_reason TEXT,
    ADD COLUMN IF NOT EXISTS released_at TIMESTAMPTZ,
    ADD COLUMN IF NOT EXISTS idempotency_key TEXT UNIQUE,
    ADD COLUMN IF NOT EXISTS landing_path TEXT,
    ADD COLUMN IF NOT EXISTS referrer_host TEXT,
    ADD COLUMN IF NOT EXISTS utm_source TEXT,
    ADD COLUMN IF NOT EXISTS utm_medium TEXT,
    ADD COLUMN IF NOT EXISTS utm_campaign TEXT,
    ADD COLUMN IF NOT EXISTS utm_term TEXT,
    ADD COLUMN IF NOT EXISTS utm_content TEXT";

struct Column {
    name: String,
    /// As the database calls it.
    kind: String,
    not_null: bool,
    /// A default, an identity, or computed.
    fills_itself: bool,
}

pub async fn is_there(db: &Transaction<'_>) -> Result<bool> {
    let sql = "SELECT to_regclass('contacts') IS NOT NULL";
    Ok(db.query_typed_one(sql, &[]).await?.try_get(0)?)
}

/// Gives it the columns of ours.
pub async fn widen(db: &Transaction<'_>) -> Result<()> {
    let columns = columns(db).await?;
    if let Some(lacking) = NEEDED.iter().find(|name| find(&columns, name).is_none()) {
        return refuse(format!("its table contacts has no column {lacking}"));
    }
    for name in WORDS {
        widen_words(db, find(&columns, name)).await?;
    }
    db.batch_execute(MISSING).await?;
    widen_time(db, find(&columns, "created_at")).await?;
    widen_id(db, find(&columns, "id")).await?;
    match columns.iter().find(|column| is_strange(column)) {
        Some(Column { name, .. }) => refuse(format!(
            "contacts.{name} must be filled and has no default: `ALTER TABLE contacts ALTER \
             COLUMN {name} DROP NOT NULL`"
        )),
        None => Ok(()),
    }
}

/// What no lead of ours would have a value for.
fn is_strange(column: &Column) -> bool {
    let name = column.name.as_str();
    let is_ours = WORDS.contains(&name) || ["id", "created_at"].contains(&name);
    column.not_null && !column.fills_itself && !is_ours
}

async fn widen_words(db: &Transaction<'_>, column: Option<&Column>) -> Result<()> {
    let Some(Column { name, kind, .. }) = column else {
        return Ok(());
    };
    match kind.as_str() {
        "text" => {}
        // Any length; the rows stay as they are.
        "varchar" | "citext" => {
            alter(db, &format!("ALTER COLUMN {name} TYPE TEXT")).await?;
        }
        _ => return refuse(format!("contacts.{name} is {kind}: it must be text")),
    }
    if name == "phone" {
        alter(db, "ALTER COLUMN phone DROP NOT NULL").await?;
    }
    Ok(())
}

/// What came before has the time of this moment: it is not known better.
async fn widen_time(db: &Transaction<'_>, column: Option<&Column>) -> Result<()> {
    match column.map(|column| column.kind.as_str()) {
        None => {
            alter(
                db,
                "ADD COLUMN created_at TIMESTAMPTZ NOT NULL DEFAULT now()",
            )
            .await?
        }
        Some("timestamptz") => {}
        // In UTC it is the same number.
        Some("timestamp") => {
            db.batch_execute("SET LOCAL timezone = 'UTC'").await?;
            alter(db, "ALTER COLUMN created_at TYPE TIMESTAMPTZ").await?;
        }
        Some(kind) => {
            return refuse(format!(
                "contacts.created_at is {kind}: it must be timestamptz"
            ));
        }
    }
    let filled = "ALTER COLUMN created_at SET NOT NULL,
        ALTER COLUMN created_at SET DEFAULT clock_timestamp()";
    let refused = "contacts.created_at is empty in some rows: fill it in";
    alter(db, filled).await.or_else(|_| refuse(refused.into()))
}

/// Ids that are there stay; new ones are of their kind.
async fn widen_id(db: &Transaction<'_>, column: Option<&Column>) -> Result<()> {
    let Some(column) = column else {
        // The only way to tell the rows apart: this one writes them anew.
        let id = "ADD COLUMN id TEXT PRIMARY KEY DEFAULT gen_random_uuid()::text";
        return alter(db, id).await;
    };
    match IdKind::of(&column.kind) {
        None => return refuse(strange_id(&column.kind)),
        Some(IdKind::Integer) if !column.fills_itself => {
            return refuse(
                "contacts.id is a number that nobody counts: `ALTER TABLE contacts ALTER COLUMN \
                 id ADD GENERATED BY DEFAULT AS IDENTITY`, and restart it behind the highest"
                    .into(),
            );
        }
        Some(IdKind::Text) => alter(db, "ALTER COLUMN id TYPE TEXT").await?,
        Some(_) => {}
    }
    if is_unique(db).await? {
        return Ok(());
    }
    let refused = "contacts.id is empty or the same in some rows: make it unique";
    let unique = "ALTER COLUMN id SET NOT NULL, ADD UNIQUE (id)";
    alter(db, unique).await.or_else(|_| refuse(refused.into()))
}

async fn is_unique(db: &Transaction<'_>) -> Result<bool> {
    let sql = "SELECT EXISTS (SELECT 1 FROM pg_index i JOIN pg_attribute a
            ON a.attrelid = i.indrelid AND a.attname = 'id' AND i.indkey::text = a.attnum::text
        WHERE i.indrelid = to_regclass('contacts') AND i.indisunique AND i.indpred IS NULL)";
    Ok(db.query_typed_one(sql, &[]).await?.try_get(0)?)
}

/// The rows of the table go with their lead. They name it in text; where its id
/// is of another kind, that is computed beside it.
pub async fn refer_to_leads(
    db: &Transaction<'_>,
    table: &str,
) -> Result<(), tokio_postgres::Error> {
    let referring = match type_of_id(db).await?.as_str() {
        "text" | "varchar" => "ADD FOREIGN KEY (contact_id) REFERENCES contacts (id) \
            ON DELETE CASCADE"
            .to_owned(),
        kind => format!(
            "ADD COLUMN contact_ref {kind} GENERATED ALWAYS AS (contact_id::{kind}) STORED
                REFERENCES contacts (id) ON DELETE CASCADE;
             CREATE INDEX {table}_by_lead ON {table} (contact_ref)"
        ),
    };
    let alter = format!("ALTER TABLE {table} {referring}");
    db.batch_execute(&alter).await
}

/// Stores two leads of one person, as long as can be, and takes them back: a
/// rule or a trigger of the table's own may forbid what its columns allow.
pub async fn try_out(db: &Transaction<'_>) -> Result<()> {
    let id = match ids(db).await? {
        IdKind::Integer => ("", ""),
        IdKind::Uuid => ("id,", "gen_random_uuid(),"),
        IdKind::Text => ("id,", "gen_random_uuid()::text,"),
    };
    let sql = format!(
        "SAVEPOINT trial;
         INSERT INTO contacts ({} name, email, email_key, phone, message, form_location, created_at)
         SELECT {} repeat('n', 200), repeat('a', 242) || '@example.org',
             repeat('a', 242) || '@example.org', phone, repeat('m', 5000), place, clock_timestamp()
         FROM (VALUES (NULL, 'contact'), (repeat('1', 40), 'homepage')) AS sent (phone, place);
         ROLLBACK TO trial",
        id.0, id.1
    );
    db.batch_execute(&sql).await.map_err(|error| {
        let why = failure::in_words(&error);
        StoreError::Unavailable(format!("its table contacts does not take a lead: {why}"))
    })
}

pub async fn ids(db: &Transaction<'_>) -> Result<IdKind> {
    let kind = type_of_id(db).await?;
    IdKind::of(&kind).map_or_else(|| refuse(strange_id(&kind)), Ok)
}

fn strange_id(kind: &str) -> String {
    format!("contacts.id is {kind}: it must be text, uuid or a number")
}

async fn type_of_id(db: &Transaction<'_>) -> Result<String, tokio_postgres::Error> {
    let sql = "SELECT t.typname::text FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = to_regclass('contacts') AND a.attname = 'id' AND NOT a.attisdropped";
    db.query_typed_one(sql, &[]).await?.try_get(0)
}

async fn columns(db: &Transaction<'_>) -> Result<Vec<Column>> {
    let kind = "SELECT relkind IN ('r', 'p') FROM pg_class WHERE oid = to_regclass('contacts')";
    if !db.query_typed_one(kind, &[]).await?.try_get::<_, bool>(0)? {
        return refuse("its contacts is no table".into());
    }
    let sql = "SELECT a.attname::text, t.typname::text, a.attnotnull,
            a.atthasdef OR a.attidentity <> '' OR a.attgenerated <> ''
        FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
        WHERE a.attrelid = to_regclass('contacts') AND a.attnum > 0 AND NOT a.attisdropped";
    let rows = db.query_typed(sql, &[]).await?;
    let column = |row: tokio_postgres::Row| {
        Ok(Column {
            name: row.try_get(0)?,
            kind: row.try_get(1)?,
            not_null: row.try_get(2)?,
            fills_itself: row.try_get(3)?,
        })
    };
    rows.into_iter().map(column).collect()
}

fn find<'a>(columns: &'a [Column], name: &str) -> Option<&'a Column> {
    columns.iter().find(|column| column.name == name)
}

async fn alter(db: &Transaction<'_>, what: &str) -> Result<()> {
    let sql = format!("ALTER TABLE contacts {what}");
    Ok(db.batch_execute(&sql).await?)
}

fn refuse<T>(why: String) -> Result<T> {
    Err(StoreError::Unavailable(why))
}
