//! A transaction in one trip, in which those who are about the same thing take
//! turns: each sees what the one before has committed.
//!
//! Everything is sent at once, the commit included, so no lock is ever held for
//! the time of a trip, and nobody can go away in the middle. After a statement
//! that failed the server undoes it all, whatever follows.

use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error, Row};

use super::ask::Value;

/// Whoever tells of held leads, or reads how many there are.
pub const HELD_NOTICES: &str = "held notices";

/// Whoever changes what was learned of spam.
pub const SPAM_WORDS: &str = "spam words";

/// Whoever changes which release of the site is shown.
pub const RELEASES: &str = "releases";

/// The first half of every lock here; the number is arbitrary.
const CLASS: i32 = 0x7475_726e;

/// A commit is on disk, and where the owner has a standby that answers for it,
/// there too, whatever the session's settings are.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED;
    SELECT set_config('synchronous_commit', 'on', true)
        WHERE current_setting('synchronous_commit') NOT IN ('on', 'remote_apply')";

/// Heard by every replica once it is committed.
pub const WAKE: &str = "pg_notify('frontdoor', '')";

pub struct Statement<'a> {
    pub sql: &'a str,
    pub values: &'a [Value<'a>],
}

/// What is to happen while nobody else has these keys.
pub struct Turn<'a> {
    /// Without any nobody is waited for.
    pub keys: &'a [&'a str],
    /// Something becomes due.
    pub wakes: bool,
    pub first: Statement<'a>,
    /// Also sees what others have committed during the first.
    pub then: Option<Statement<'a>>,
}

/// An error of the last part may mean that it is committed all the same.
pub async fn run(db: &Client, turn: Turn<'_>) -> Result<(Vec<Row>, Vec<Row>), Error> {
    let begin = match turn.wakes {
        true => format!("{BEGIN}; SELECT {WAKE}"),
        false => BEGIN.to_owned(),
    };
    let then = async {
        match &turn.then {
            Some(then) => db.query_typed(then.sql, then.values).await,
            None => Ok(Vec::new()),
        }
    };
    let (began, locked, first, then, committed) = tokio::join!(
        biased;
        db.batch_execute(&begin),
        lock(db, turn.keys),
        db.query_typed(turn.first.sql, turn.first.values),
        then,
        db.batch_execute("COMMIT"),
    );
    began?;
    locked?;
    let found = (first?, then?);
    committed?;
    Ok(found)
}

/// Until the end of the transaction, and always in the same order.
pub async fn lock(db: &Client, keys: &[&str]) -> Result<(), Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let sql = format!(
        "SELECT pg_advisory_xact_lock({CLASS}, key) FROM
            (SELECT DISTINCT hashtext(word) AS key FROM unnest($1) AS word ORDER BY key) AS keys"
    );
    let keys = (&keys as _, Type::TEXT_ARRAY);
    db.execute_typed(&sql, &[keys]).await.map(|_| ())
}
