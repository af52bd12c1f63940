//! What this lane is sending right now.
//!
//! A lease keeps others away by the clock on the wall. When that clock jumps,
//! the lane itself still knows what it has in hand.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

#[derive(Clone, Default)]
pub struct Busy(Arc<Mutex<HashSet<String>>>);

/// Until it is dropped, the delivery counts as being sent.
pub struct Sending {
    busy: Busy,
    id: String,
}

impl Busy {
    pub fn enter(&self, id: &str) -> Sending {
        self.lock().insert(id.to_owned());
        Sending {
            busy: self.clone(),
            id: id.to_owned(),
        }
    }

    pub fn ids(&self) -> Vec<String> {
        self.lock().iter().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        self.busy.lock().remove(&self.id);
    }
}
