//! How long somebody who claimed something may be waited for.

use jiff::Timestamp;

use super::row::stamp;
use crate::store::LONGEST_LEASE;

/// No lease lasts longer: one that ends later is from before the clock was set
/// back, and has ended.
pub fn longest_lease(now: Timestamp) -> String {
    stamp(now.saturating_add(LONGEST_LEASE).unwrap_or(Timestamp::MAX))
}
