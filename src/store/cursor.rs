//! How a long list is read in parts.

use jiff::Timestamp;

/// A place in a list ordered by time, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    pub created_at: Timestamp,
    pub id: String,
}
