//! What counts as a short time ago.

use std::time::Duration;

use jiff::Timestamp;

use super::row::stamp;
use crate::store::AT_ONCE;

/// From so long ago until now, and a little later.
pub fn last(pause: Duration, now: Timestamp) -> (String, String) {
    let since = now.saturating_sub(pause).unwrap_or(now);
    let until = now.saturating_add(AT_ONCE).unwrap_or(now);
    (stamp(since), stamp(until))
}
