//! What is still there after something was removed, in the owner's words.

use crate::store::Remains;

/// Follows the sentence that says what was removed.
pub fn after_removal(remains: &Remains) -> &'static str {
    match remains {
        Remains::UntilVacuum => {
            "Backups made earlier still hold them.\n\
            The database server removes old versions of rows with VACUUM; its backups are yours \
            to delete."
        }
        Remains::Nothing | Remains::InFiles(_) => "Backups made earlier still hold them.",
    }
}
