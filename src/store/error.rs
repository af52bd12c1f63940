//! Errors of the store.

/// Messages are technical and contain no personal data, so they may be logged. Where the owner can
/// fix the problem, they say how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Overload, or a lock held too long; a retry may soon succeed.
    #[error("the store is busy: {0}")]
    Busy(String),
    /// Full disk, I/O error, no connection; a later retry may succeed.
    #[error("the store doesn't answer: {0}")]
    Unavailable(String),
    #[error(
        "there is no database {place} yet: `frontdoor serve` or `frontdoor migrate` creates it"
    )]
    Missing { place: String },
    /// An earlier version of this program wrote the database.
    #[error(
        "the database {place} has schema version {found}, this program needs {known}: \
        run `frontdoor migrate`, or start the server"
    )]
    TooOld {
        place: String,
        found: i64,
        known: i64,
    },
    /// A later version of this program wrote the database.
    #[error("the database has schema version {found}, this program knows {known}: use a newer one")]
    TooNew { found: i64, known: i64 },
    #[error("can't open the database {place}: {reason}")]
    CannotOpen { place: String, reason: String },
    /// The file was removed while open.
    #[error(
        "the database {place} has been removed or moved: put it back, or a backup in its place, \
        and restart the server"
    )]
    Removed { place: String },
    /// The file at the path isn't the one that was opened.
    #[error(
        "the database {place} or its journal has been replaced: restart the server, which checks \
        it first"
    )]
    Replaced { place: String },
    #[error(
        "the database {place} is damaged ({reason}): stop the server, put a backup in its place \
        with `frontdoor restore FILE`, start the server"
    )]
    Damaged { place: String, reason: String },
    /// Applying the journal (WAL) would mix two databases.
    #[error(
        "{place}-wal belongs to another file than {place}: if {place} is a backup you put \
        there, move {place}-wal and {place}-shm away; if not, put the file back that was there"
    )]
    Mixed { place: String },
    /// A move to it was interrupted or is in progress.
    #[error("the database {place} is incomplete: run the interrupted `frontdoor move` to it again")]
    HalfMoved { place: String },
    #[error("can't move the database: {0}")]
    Move(String),
    /// A later version wrote it, or it was edited by hand.
    #[error("{0} can't be read: `frontdoor check` says what to do")]
    Unreadable(String),
    /// The row to be changed doesn't exist.
    #[error(
        "the note that the mail was offered is gone: the subscriber was removed, or another run \
        has withdrawn it"
    )]
    NoteGone,
    #[error("can't write the backup {place}: {reason}")]
    Backup { place: String, reason: String },
    #[error("can't restore {place}: {reason}")]
    Restore { place: String, reason: String },
}

impl StoreError {
    /// Whether the database is the cause, and not the request.
    pub(super) fn is_about_database(&self) -> bool {
        matches!(
            self,
            Self::Busy(_) | Self::Unavailable(_) | Self::Removed { .. } | Self::Replaced { .. }
        )
    }
}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
