//! Brings the tables up to date at start, inside one transaction.
//!
//! The transaction takes the write lock before it looks at the version, so
//! several processes that start at once take turns and each step runs once.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::store::{Result, StoreError};

struct Migration {
    version: i64,
    name: &'static str,
    sql: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "leads",
        sql: include_str!("../../../migrations/sqlite/0001_leads.sql"),
    },
    Migration {
        version: 2,
        name: "newsletter",
        sql: include_str!("../../../migrations/sqlite/0002_newsletter.sql"),
    },
    Migration {
        version: 4,
        name: "outbox",
        sql: include_str!("../../../migrations/sqlite/0004_outbox.sql"),
    },
];

pub fn run(db: &mut Connection) -> Result<()> {
    let known = MIGRATIONS.last().map_or(0, |last| last.version);
    // Without the lock first: nothing to do is the usual case, and a tool
    // must not wait for a busy writer then.
    if check(current_version(db)?, known)? {
        return Ok(());
    }
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let current = current_version(&transaction)?;
    check(current, known)?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_migrations (
            version INTEGER NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            applied_at TEXT NOT NULL
        ) STRICT",
    )?;
    for migration in MIGRATIONS.iter().filter(|each| each.version > current) {
        transaction.execute_batch(migration.sql)?;
        transaction.execute(
            "INSERT INTO schema_migrations VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
            params![migration.version, migration.name],
        )?;
    }
    Ok(transaction.commit()?)
}

/// True when there is nothing to do.
fn check(found: i64, known: i64) -> Result<bool> {
    if found > known {
        return Err(StoreError::TooNew { found, known });
    }
    Ok(found == known)
}

fn current_version(db: &Connection) -> rusqlite::Result<i64> {
    let exists = db
        .query_row(
            "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema_migrations'",
            [],
            |_| Ok(()),
        )
        .optional()?;
    match exists {
        None => Ok(0),
        Some(()) => db.query_row(
            "SELECT coalesce(max(version), 0) FROM schema_migrations",
            [],
            |row| row.get(0),
        ),
    }
}
