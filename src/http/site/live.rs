//! The pages that are served at this moment. Others can take their place at
//! any time: a request is answered from the table that it began with.

use std::sync::Arc;

use arc_swap::{ArcSwap, Guard};

use super::pages::Pages;

pub struct LivePages(ArcSwap<Pages>);

impl LivePages {
    pub fn new(pages: Pages) -> Self {
        Self(ArcSwap::from_pointee(pages))
    }

    /// For one answer; nobody waits for anybody. Not to be held while waiting.
    pub fn load(&self) -> Guard<Arc<Pages>> {
        self.0.load()
    }

    pub fn replace(&self, pages: Pages) {
        self.0.store(Arc::new(pages));
    }
}
