use super::sqlite_file::DISK_FULL;

/// Messages are technical and contain no personal data, so they may be logged. Where the owner can
/// fix the problem, they say how.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Overload, or a lock held too long; a retry may soon succeed.
    #[error("the database is busy: {0}")]
    Busy(String),
    /// Another transaction has locked the same rows; other writes may succeed.
    #[error("another change is in progress: {0}")]
    Locked(String),
    /// Full disk, I/O error, no connection; a later retry may succeed.
    #[error("the database is unavailable: {0}")]
    Unavailable(String),
    #[error("the database is unavailable: {}", DISK_FULL)]
    DiskFull,
    #[error(
        "there is no database {location} yet: `frontdoor serve` or `frontdoor migrate` creates it"
    )]
    Missing { location: String },
    /// An earlier version of this program wrote the database.
    #[error(
        "the database {location} has schema version {found}, this program needs {known}: \
        run `frontdoor migrate`, or start the server"
    )]
    TooOld {
        location: String,
        found: i64,
        known: i64,
    },
    /// A later version of this program wrote the database.
    #[error(
        "the database has schema version {found}, this program knows {known}: install the version that wrote it, or a later one"
    )]
    TooNew { found: i64, known: i64 },
    #[error("can't open the database {location}: {reason}")]
    CannotOpen { location: String, reason: String },
    /// The file was removed while open.
    #[error(
        "the database {location} has been removed or moved: put it back, or a backup in its place, \
        and restart the server"
    )]
    Removed { location: String },
    /// The file at the path isn't the one that was opened.
    #[error(
        "the database {location} or its journal has been replaced: restart the server, which checks \
        it first"
    )]
    Replaced { location: String },
    #[error(
        "the database {location} is damaged ({reason}): stop the server, put a backup in its place \
        with `frontdoor restore FILE`, start the server"
    )]
    Damaged { location: String, reason: String },
    /// Applying the journal (WAL) would mix two databases.
    #[error(
        "the journal {location}-wal belongs to another file than {location}: if {location} is a backup \
        you put there, move {location}-wal and {location}-shm away; if not, put the original file \
        back"
    )]
    Mixed { location: String },
    /// A move to it was interrupted or is in progress.
    #[error(
        "the database {location} is incomplete: run the interrupted `frontdoor move` to it again"
    )]
    HalfMoved { location: String },
    #[error("can't move the database: {0}")]
    Move(String),
    /// A row, with its column or the reason: a later version wrote it, or it was edited by hand.
    #[error("a row can't be read ({0}): `frontdoor check` says what to do")]
    Unreadable(String),
    /// The row to be changed doesn't exist.
    #[error(
        "the record of this mail is gone: the subscriber was removed, or another run has withdrawn it; the others still get the issue"
    )]
    SendRecordGone,
    #[error("can't write the backup {location}: {reason}")]
    Backup { location: String, reason: String },
    #[error("can't restore {location}: {reason}")]
    Restore { location: String, reason: String },
}

impl StoreError {
    /// Whether the database is the cause, and not the request.
    pub(super) fn is_about_database(&self) -> bool {
        matches!(
            self,
            Self::Busy(_)
                | Self::Unavailable(_)
                | Self::DiskFull
                | Self::Removed { .. }
                | Self::Replaced { .. }
        )
    }
}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
