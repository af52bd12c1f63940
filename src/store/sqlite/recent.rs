//! What counts as a short time ago.

use std::time::Duration;

use jiff::Timestamp;

use super::row::stamp;

/// Requests that come together may be stored in another order.
const AT_ONCE: Duration = Duration::from_secs(60);

/// From so long ago until now. What was stored later than that was stored
/// before the clock was set back; a little later is another request.
pub fn last(pause: Duration, now: Timestamp) -> (String, String) {
    let since = now.saturating_sub(pause).unwrap_or(now);
    let until = now.saturating_add(AT_ONCE).unwrap_or(now);
    (stamp(since), stamp(until))
}
