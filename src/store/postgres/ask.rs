//! One statement in one trip, with the types of its values said.

use std::str::FromStr;

use jiff::{Timestamp, Unit};
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use super::Postgres;
use crate::store::{Clock, Result, StoreError};

pub type Value<'a> = (&'a (dyn ToSql + Sync), Type);

/// Also of an `Option`.
pub fn text(value: &(impl ToSql + Sync)) -> Value<'_> {
    (value, Type::TEXT)
}

pub fn number(value: &i64) -> Value<'_> {
    (value, Type::INT8)
}

pub fn time(value: &Option<Timestamp>) -> Value<'_> {
    (value, Type::TIMESTAMPTZ)
}

/// No finer than what is stored on either database.
pub fn milliseconds(time: Timestamp) -> Timestamp {
    let whole = time.as_millisecond();
    Timestamp::from_millisecond(whole).unwrap_or(time)
}

/// The present, by the clock that counts; its value is [`Postgres::time`].
pub fn present(place: &str) -> String {
    format!("coalesce({place}, date_trunc('milliseconds', clock_timestamp()))")
}

/// Something that parses from text.
pub fn parsed<T: FromStr<Err: ToString>>(row: &Row, column: &str) -> Result<T> {
    let word: &str = row.try_get(column)?;
    let parsed = word.parse();
    parsed.map_err(|error: T::Err| {
        StoreError::Unavailable(format!("{column}: {}", error.to_string()))
    })
}

/// A number that is never negative.
pub fn counted(row: &Row, column: &str) -> Result<u64> {
    Ok(row.try_get::<_, i64>(column)?.unsigned_abs())
}

/// How long ago something was, by the clock of whoever says so. A query counts
/// it back from its own present.
pub struct Moment {
    by_callers: Option<Timestamp>,
    ago: i64,
}

impl Moment {
    /// `[Moment::values]` at these places.
    pub fn at(time: &str, ago: &str) -> String {
        format!(
            "coalesce({time}, date_trunc('milliseconds', clock_timestamp())
                - {ago} * interval '1 millisecond')"
        )
    }

    pub fn values(&self) -> [Value<'_>; 2] {
        [time(&self.by_callers), number(&self.ago)]
    }
}

impl Postgres {
    pub async fn rows(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>> {
        self.in_time(async { Ok(self.pool.get().await?.query_typed(sql, values).await?) })
            .await
    }

    pub async fn row(&self, sql: &str, values: &[Value<'_>]) -> Result<Row> {
        self.in_time(async { Ok(self.pool.get().await?.query_typed_one(sql, values).await?) })
            .await
    }

    /// Returns how many rows it changed.
    pub async fn change(&self, sql: &str, values: &[Value<'_>]) -> Result<u64> {
        self.in_time(async { Ok(self.pool.get().await?.execute_typed(sql, values).await?) })
            .await
    }

    pub fn moment(&self, time: Timestamp) -> Moment {
        match self.clock {
            Clock::Callers => Moment {
                by_callers: Some(milliseconds(time)),
                ago: 0,
            },
            Clock::Shared => Moment {
                by_callers: None,
                ago: ago(time),
            },
        }
    }
}

fn ago(time: Timestamp) -> i64 {
    let span = Timestamp::now() - time;
    span.total(Unit::Millisecond).unwrap_or_default() as i64
}
