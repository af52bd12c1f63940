//! Brings the tables up to date, inside one transaction.
//!
//! The transaction takes the write lock before it looks at the version, so
//! several processes that start at once take turns and each step runs once.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::address_keys;
use crate::store::{Result, StoreError};

struct Migration {
    version: i64,
    name: &'static str,
    sql: &'static str,
}

/// Can be run on tables of any version, and again.
pub const SENDING_PAUSE: &str = include_str!("../../../migrations/sqlite/0014_sending_pause.sql");

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
        version: 3,
        name: "address_keys",
        sql: include_str!("../../../migrations/sqlite/0003_address_keys.sql"),
    },
    Migration {
        version: 4,
        name: "outbox",
        sql: include_str!("../../../migrations/sqlite/0004_outbox.sql"),
    },
    Migration {
        version: 5,
        name: "rate",
        sql: include_str!("../../../migrations/sqlite/0005_rate.sql"),
    },
    Migration {
        version: 6,
        name: "delivery_counts",
        sql: include_str!("../../../migrations/sqlite/0006_delivery_counts.sql"),
    },
    Migration {
        version: 7,
        name: "lead_states",
        sql: include_str!("../../../migrations/sqlite/0007_lead_states.sql"),
    },
    Migration {
        version: 8,
        name: "spam",
        sql: include_str!("../../../migrations/sqlite/0008_spam.sql"),
    },
    Migration {
        version: 9,
        name: "lists",
        sql: include_str!("../../../migrations/sqlite/0009_lists.sql"),
    },
    Migration {
        version: 10,
        name: "reminders",
        sql: include_str!("../../../migrations/sqlite/0010_reminders.sql"),
    },
    Migration {
        version: 11,
        name: "retention",
        sql: include_str!("../../../migrations/sqlite/0011_retention.sql"),
    },
    Migration {
        version: 12,
        name: "releases",
        sql: include_str!("../../../migrations/sqlite/0012_releases.sql"),
    },
    Migration {
        version: 13,
        name: "request_ids",
        sql: include_str!("../../../migrations/sqlite/0013_request_ids.sql"),
    },
    Migration {
        version: 14,
        name: "sending_pause",
        sql: SENDING_PAUSE,
    },
];

type Fill = fn(&Connection) -> rusqlite::Result<()>;

/// What SQL alone cannot do, after the migration of that number.
const FILLS: &[(i64, Fill)] = &[(3, address_keys::fill)];

/// The version that this program works with.
pub fn known() -> i64 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

pub fn run(db: &mut Connection) -> Result<()> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let current = version(&transaction)?;
    refuse_newer(current)?;
    transaction.execute_batch(
        "CREATE TABLE IF NOT EXISTS schema_migrations (
            version INTEGER NOT NULL PRIMARY KEY,
            name TEXT NOT NULL,
            applied_at TEXT NOT NULL
        ) STRICT",
    )?;
    for migration in MIGRATIONS.iter().filter(|each| each.version > current) {
        transaction.execute_batch(migration.sql)?;
        for (_, fill) in FILLS.iter().filter(|(of, _)| *of == migration.version) {
            fill(&transaction)?;
        }
        transaction.execute(
            "INSERT INTO schema_migrations VALUES (?1, ?2, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))",
            params![migration.version, migration.name],
        )?;
    }
    Ok(transaction.commit()?)
}

pub fn refuse_newer(found: i64) -> Result<()> {
    let known = known();
    match found > known {
        true => Err(StoreError::TooNew { found, known }),
        false => Ok(()),
    }
}

/// 0 in an empty file.
pub fn version(db: &Connection) -> rusqlite::Result<i64> {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_run_in_its_order() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/sqlite");
        let mut files: Vec<_> = std::fs::read_dir(folder)
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        let file = |each: &Migration| format!("{:04}_{}.sql", each.version, each.name);
        assert_eq!(MIGRATIONS.iter().map(file).collect::<Vec<_>>(), files);
    }
}
