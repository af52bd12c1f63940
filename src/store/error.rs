//! What can go wrong between us and the database.

/// Messages are technical and free of personal data: they may be logged.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Full disk, I/O error, lock held too long, queue full: later it may work.
    #[error("the store does not answer: {0}")]
    Unavailable(String),
    /// The database was written by a later version of this program.
    #[error("the database has schema version {found}, this program knows {known}: use a newer one")]
    TooNew { found: i64, known: i64 },
    /// The database cannot be opened or created.
    #[error("cannot open the database {place}: {reason}")]
    CannotOpen { place: String, reason: String },
    /// A backup cannot be written.
    #[error("cannot write the backup {place}: {reason}")]
    Backup { place: String, reason: String },
}

pub type Result<T, E = StoreError> = std::result::Result<T, E>;
