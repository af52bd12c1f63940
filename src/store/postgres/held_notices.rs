//! When the owner is told of held leads: each of them, in at most one mail an
//! hour, which says how many there are when it goes out. Whoever adds, sends or
//! takes back a notice has the turn for it ([`super::turns::HELD_NOTICES`]).

use super::recent::{NOW, interval, last};
use crate::store::HELD_NOTICE_PAUSE;

/// Not released, whatever else the owner did with it.
pub const HOLDS: &str = "(hold_reason IS NOT NULL AND released_at IS NULL)";

/// And the owner has not decided: [`crate::store::Lead::is_held`].
pub const IS_HELD: &str = "hold_reason IS NOT NULL AND released_at IS NULL
    AND contacts.state = 'new'";

/// One that is on its way right now says how many there were before.
pub fn waits() -> String {
    format!(
        "kind = 'held_notice' AND state = 'pending'
            AND (lease_until IS NULL OR lease_until <= {NOW})"
    )
}

/// When to tell of a lead that is held now, unless a notice waits.
pub fn due() -> String {
    let told = "coalesce(finished_at, next_attempt_at, created_at)";
    let lately = last(HELD_NOTICE_PAUSE, told);
    let pause = interval(HELD_NOTICE_PAUSE);
    format!(
        "greatest({NOW}, (SELECT max({told}) FROM deliveries
            WHERE kind = 'held_notice' AND {lately}) + {pause})"
    )
}
