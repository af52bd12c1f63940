//! Brings the tables up to date, inside one transaction.
//!
//! Whoever does holds a lock, so replicas that start at once take turns and
//! each step runs once. An older program goes on with a newer schema as long
//! as that was only expanded (docs/decisions/0015-postgresql.md): each step
//! says from which version on a program can live with it.

use tokio_postgres::Transaction;
use tokio_postgres::error::SqlState;

use super::ids::IdKind;
use super::pool::Pool;
use super::{adopt, failure};
use crate::store::{Migrated, PostgresUrl, Result, StoreError};

struct Migration {
    version: i32,
    name: &'static str,
    sql: &'static str,
    /// Programs that know this version, or a later one, can work beside it.
    compatible_from: i32,
}

/// No program for an earlier version than the fourth was made for PostgreSQL.
const MIGRATIONS: &[Migration] = &[
    Migration {
        version: 1,
        name: "leads",
        sql: include_str!("../../../migrations/postgres/0001_leads.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 2,
        name: "newsletter",
        sql: include_str!("../../../migrations/postgres/0002_newsletter.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 3,
        name: "address_keys",
        sql: include_str!("../../../migrations/postgres/0003_address_keys.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 4,
        name: "outbox",
        sql: include_str!("../../../migrations/postgres/0004_outbox.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 5,
        name: "rate",
        sql: include_str!("../../../migrations/postgres/0005_rate.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 6,
        name: "delivery_counts",
        sql: include_str!("../../../migrations/postgres/0006_delivery_counts.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 7,
        name: "lead_states",
        sql: include_str!("../../../migrations/postgres/0007_lead_states.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 8,
        name: "spam",
        sql: include_str!("../../../migrations/postgres/0008_spam.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 9,
        name: "lists",
        sql: include_str!("../../../migrations/postgres/0009_lists.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 10,
        name: "reminders",
        sql: include_str!("../../../migrations/postgres/0010_reminders.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 11,
        name: "retention",
        sql: include_str!("../../../migrations/postgres/0011_retention.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 12,
        name: "releases",
        sql: include_str!("../../../migrations/postgres/0012_releases.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 13,
        name: "request_ids",
        sql: include_str!("../../../migrations/postgres/0013_request_ids.sql"),
        compatible_from: 4,
    },
    Migration {
        version: 14,
        name: "sending_pause",
        sql: include_str!("../../../migrations/postgres/0014_sending_pause.sql"),
        compatible_from: 4,
    },
];

/// Tables whose rows go with their lead, and the migration that makes them.
const REFERRING: &[(i32, &str)] = &[(1, "deliveries"), (7, "contact_changes")];

/// Whoever migrates holds it until the end of the transaction; the number is
/// arbitrary. A step may take long, and so may waiting for who takes it.
const TAKE_TURN: &str = "SET LOCAL statement_timeout = 0;
    SET LOCAL lock_timeout = '60s';
    SELECT pg_advisory_xact_lock(28829054164395119)";

const HISTORY: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (
    version         INTEGER NOT NULL PRIMARY KEY,
    name            TEXT NOT NULL,
    applied_at      TIMESTAMPTZ NOT NULL DEFAULT clock_timestamp(),
    -- The oldest schema whose program can work with this one.
    compatible_from INTEGER NOT NULL
)";

/// What the database says of itself.
struct Schema {
    /// 0: none of ours.
    version: i32,
    compatible_from: i32,
}

pub async fn migrate(url: &PostgresUrl) -> Result<Migrated> {
    let pool = Pool::new(url)?;
    pool.first().await?;
    run(&pool).await
}

/// Whether a server could use it. Changes nothing.
pub async fn check(url: &PostgresUrl) -> Result<bool> {
    let pool = Pool::new(url)?;
    pool.first().await?;
    require_known(&pool).await?;
    let mut db = pool.get().await?;
    let undone = db.transaction().await?;
    let write = "UPDATE store_state SET probed_at = probed_at";
    undone.execute_typed(write, &[]).await?;
    undone.rollback().await?;
    Ok(true)
}

pub async fn run(pool: &Pool) -> Result<Migrated> {
    let mut db = pool.get().await?;
    let step = db.transaction().await?;
    let migrated = bring_up_to_date(&step, pool).await?;
    match migrated {
        Migrated::Nothing => {}
        _ => step.commit().await?,
    }
    Ok(migrated)
}

async fn bring_up_to_date(step: &Transaction<'_>, pool: &Pool) -> Result<Migrated> {
    let cannot = |error| pool.cannot_open(error);
    step.batch_execute(TAKE_TURN).await?;
    let found = schema(step, pool).await?;
    refuse_newer(&found)?;
    if found.version >= known() {
        return Ok(Migrated::Nothing);
    }
    let adopted = found.version == 0 && adopt::is_there(step).await?;
    if adopted {
        adopt::widen(step).await.map_err(cannot)?;
    }
    let applied = apply(step, found.version).await;
    applied.map_err(|error| cannot(in_the_way(error)))?;
    if adopted {
        adopt::try_out(step).await.map_err(cannot)?;
    }
    Ok(match (found.version, adopted) {
        (0, false) => Migrated::Created,
        (from, _) => Migrated::Upgraded {
            from: from.into(),
            to: known().into(),
            backup: None,
        },
    })
}

async fn apply(step: &Transaction<'_>, found: i32) -> Result<(), tokio_postgres::Error> {
    step.batch_execute(HISTORY).await?;
    for migration in MIGRATIONS.iter().filter(|each| each.version > found) {
        step.batch_execute(migration.sql).await?;
        let (version, name) = (migration.version, migration.name);
        let from = migration.compatible_from;
        let noted = format!(
            "INSERT INTO schema_migrations (version, name, compatible_from)
             VALUES ({version}, '{name}', {from})"
        );
        step.batch_execute(&noted).await?;
        for (_, table) in REFERRING.iter().filter(|(of, _)| *of == version) {
            adopt::refer_to_leads(step, table).await?;
        }
    }
    Ok(())
}

fn in_the_way(error: tokio_postgres::Error) -> StoreError {
    match error.code() {
        Some(&SqlState::DUPLICATE_TABLE) => StoreError::Unavailable(
            "a table of another program has the name of one of ours: use a database of its own, \
             or a schema (`options=-c search_path=…`)"
                .into(),
        ),
        Some(&SqlState::DUPLICATE_COLUMN) => StoreError::Unavailable(
            "its table contacts has a column of its own with the name of one of ours (state, \
             answered_at, note, text_key, spam_reasons, spam_lesson, reminded_at, request_id): \
             rename it"
                .into(),
        ),
        _ => StoreError::Unavailable(failure::in_words(&error)),
    }
}

/// For who may not change the schema.
pub async fn require_known(pool: &Pool) -> Result<()> {
    let mut db = pool.get().await?;
    let look = db.transaction().await?;
    let found = schema(&look, pool).await?;
    refuse_newer(&found)?;
    let place = pool.place().to_owned();
    match found.version {
        0 => Err(StoreError::Missing { place }),
        version if version < known() => Err(StoreError::TooOld {
            place,
            found: version.into(),
            known: known().into(),
        }),
        _ => Ok(()),
    }
}

/// What was only expanded since is no other schema to this program.
fn refuse_newer(found: &Schema) -> Result<()> {
    match found.compatible_from > known() {
        true => Err(StoreError::TooNew {
            found: found.version.into(),
            known: known().into(),
        }),
        false => Ok(()),
    }
}

fn known() -> i32 {
    MIGRATIONS.last().map_or(0, |last| last.version)
}

async fn schema(db: &Transaction<'_>, pool: &Pool) -> Result<Schema> {
    let columns = "SELECT count(*) FILTER (WHERE attname IN ('version', 'compatible_from')),
            to_regclass('schema_migrations') IS NOT NULL
        FROM pg_attribute WHERE attrelid = to_regclass('schema_migrations')";
    let row = db.query_typed_one(columns, &[]).await?;
    let (columns, is_there): (i64, bool) = (row.try_get(0)?, row.try_get(1)?);
    if !is_there {
        return Ok(Schema {
            version: 0,
            compatible_from: 0,
        });
    }
    if columns != 2 {
        let reason = "its table schema_migrations is another program's: use a database of its own";
        return Err(pool.cannot_open(StoreError::Unavailable(reason.into())));
    }
    let newest = "SELECT coalesce(max(version), 0), coalesce(max(compatible_from), 0)
        FROM schema_migrations";
    let row = db.query_typed_one(newest, &[]).await?;
    Ok(Schema {
        version: row.try_get(0)?,
        compatible_from: row.try_get(1)?,
    })
}

/// The kind of a lead's id, by the table as it is.
pub async fn ids(pool: &Pool) -> Result<IdKind> {
    let mut db = pool.get().await?;
    let kind = adopt::ids(&db.transaction().await?).await;
    kind.map_err(|error| pool.cannot_open(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(engine: &str) -> Vec<String> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations/");
        let mut files: Vec<_> = std::fs::read_dir(format!("{folder}{engine}"))
            .unwrap()
            .map(|file| file.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort_unstable();
        files
    }

    #[test]
    fn both_databases_have_the_same_migrations_and_every_one_is_run() {
        let file = |each: &Migration| format!("{:04}_{}.sql", each.version, each.name);
        let ours: Vec<_> = MIGRATIONS.iter().map(file).collect();
        assert_eq!(ours, files("postgres"));
        assert_eq!(files("sqlite"), files("postgres"));
    }

    #[test]
    fn no_step_shuts_out_a_program_that_an_earlier_one_let_in() {
        for pair in MIGRATIONS.windows(2) {
            assert!(pair[0].compatible_from <= pair[1].compatible_from);
        }
        assert!(
            MIGRATIONS
                .iter()
                .all(|each| each.compatible_from <= known())
        );
    }
}
