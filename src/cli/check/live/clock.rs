//! Clocks that should tell the same time.

use jiff::{SignedDuration, Timestamp};

use super::verdict::{Verdict, bad, good};
use crate::cli::output::span;

/// This machine's and another one, which may be `tolerance` apart.
pub fn compare(
    other: &str,
    here: Timestamp,
    there: Timestamp,
    tolerance: SignedDuration,
) -> Verdict {
    let apart = here.duration_since(there);
    if apart.abs() <= tolerance {
        return good("clock", format!("the same here and in {other}"));
    }
    let how = match apart.is_positive() {
        true => format!("{} ahead of", span(there, here)),
        false => format!("{} behind", span(here, there)),
    };
    bad(
        "clock",
        format!("this machine's is {how} the one in {other}"),
        "set both by NTP: timedatectl set-ntp true",
    )
}
