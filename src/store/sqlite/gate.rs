//! What everybody else may know about the open database: the files that may
//! be read, or why there are none.

use std::sync::{Mutex, PoisonError};

use super::admission;
use super::files::{Change, Files, Stamp};
use crate::store::{Result, StoreError};

pub struct Gate {
    files: Files,
    state: Mutex<Result<Stamp>>,
}

impl Gate {
    pub fn new(files: Files, stamp: Stamp) -> Self {
        Self {
            files,
            state: Mutex::new(Ok(stamp)),
        }
    }

    pub fn open(&self, stamp: Stamp) {
        *self.state() = Ok(stamp);
    }

    pub fn close(&self, why: StoreError) {
        *self.state() = Err(why);
    }

    /// Whether what is open is what is at the path: asked before reading, and
    /// again before what was read is believed. Folding the journal changes
    /// the file's content all the time and does not matter here; but beside an
    /// empty file SQLite would take the journal for a left-over and remove it.
    pub fn pass(&self) -> Result<()> {
        let stamp = self.state().clone()?;
        match self.files.look_again(&stamp) {
            Ok(Some(now)) if now.same_files(&stamp) && !now.is_empty() => Ok(()),
            Ok(Some(_)) => Err(admission::replaced(&self.files)),
            _ => Err(refusal(&self.files, Change::Removed)),
        }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, Result<Stamp>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub fn refusal(files: &Files, change: Change) -> StoreError {
    match change {
        Change::Removed => StoreError::Removed {
            place: admission::place(files),
        },
        _ => admission::replaced(files),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn nobody_opens_a_file_that_somebody_is_about_to_copy_something_into() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("leads.db");
        fs::write(&path, "something").unwrap();
        let files = Files::new(&path);
        let stamp = files.look().unwrap().unwrap();
        let gate = Gate::new(files, stamp);
        assert_eq!(gate.pass(), Ok(()));
        fs::write(&path, "").unwrap();
        assert!(matches!(gate.pass(), Err(StoreError::Replaced { .. })));
    }
}
