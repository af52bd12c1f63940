//! Rows that cannot be read: a later version has written them, or somebody has
//! changed them by hand. They are passed over, so that one of them stops nothing,
//! and remembered, so that the owner is told.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Result, Store, StoreError, on_engine};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    pub table: &'static str,
    pub id: String,
    /// The column and what is wrong with it.
    pub reason: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, id, reason } = self;
        write!(f, "row {id} of {table} ({reason})")
    }
}

/// What a query found.
#[derive(Debug)]
pub(super) struct Read<T> {
    pub rows: Vec<T>,
    pub unreadable: Vec<Unreadable>,
}

impl<T> Default for Read<T> {
    fn default() -> Self {
        Self {
            rows: Vec::new(),
            unreadable: Vec::new(),
        }
    }
}

impl<T> Read<T> {
    pub fn extend(&mut self, more: Self) {
        self.rows.extend(more.rows);
        self.unreadable.extend(more.unreadable);
    }

    /// The one row that was asked for.
    pub fn one(mut self) -> Result<Option<T>> {
        match self.unreadable.pop() {
            Some(row) => Err(StoreError::Unreadable(row.to_string())),
            None => Ok(self.rows.pop()),
        }
    }
}

/// What was passed over since the store was opened.
#[derive(Clone, Default)]
pub(super) struct PassedOver(Arc<Passed>);

#[derive(Default)]
struct Passed {
    times: AtomicU64,
    rows: Mutex<BTreeMap<(&'static str, String), String>>,
}

impl PassedOver {
    pub fn note<T>(&self, read: Read<T>) -> Vec<T> {
        let times = read.unreadable.len() as u64;
        self.0.times.fetch_add(times, Ordering::Relaxed);
        let mut rows = self.0.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let passed = read.unreadable.into_iter();
        rows.extend(passed.map(|row| ((row.table, row.id), row.reason)));
        read.rows
    }
}

impl Store {
    /// The rows that were passed over since this store was opened.
    pub fn passed_over(&self) -> Vec<Unreadable> {
        let rows = &self.passed_over.0.rows;
        let rows = rows.lock().unwrap_or_else(PoisonError::into_inner);
        let row = |((table, id), reason): (&(&'static str, String), &String)| Unreadable {
            table,
            id: id.clone(),
            reason: reason.clone(),
        };
        rows.iter().map(row).collect()
    }

    /// How often a row was passed over.
    pub fn times_passed_over(&self) -> u64 {
        self.passed_over.0.times.load(Ordering::Relaxed)
    }

    /// All leads and deliveries that cannot be read: reads every one of them where
    /// the database itself cannot tell.
    pub async fn unreadable(&self) -> Result<Vec<Unreadable>> {
        on_engine!(self, db => db.unreadable().await)
    }
}
