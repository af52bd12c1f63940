//! What became of the jobs that share a transaction.

pub enum Committed {
    All {
        /// Something was written.
        changed: bool,
    },
    /// A job failed; it knows why. Nothing is stored.
    Nothing,
}
