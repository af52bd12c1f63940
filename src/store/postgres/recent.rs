//! Times that a statement counts from its own present.

use std::time::Duration;

use super::ask;
use crate::store::AT_ONCE;

/// Begins a statement whose first value is [`super::Postgres::time`]: all its
/// parts go by one present, and an index can be searched by it.
pub fn with_present() -> String {
    let present = ask::present("$1");
    format!("WITH present AS MATERIALIZED (SELECT {present} AS now)")
}

/// In such a statement.
pub const NOW: &str = "(SELECT now FROM present)";

pub fn interval(time: Duration) -> String {
    format!("interval '{} milliseconds'", time.as_millis())
}

/// From so long ago until now, and a little later.
pub fn last(pause: Duration, time: &str) -> String {
    let (pause, later) = (interval(pause), interval(AT_ONCE));
    format!("({time} > {NOW} - {pause} AND {time} <= {NOW} + {later})")
}
