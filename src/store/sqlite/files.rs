//! Whether the files at the database's path are still the ones that are open.
//!
//! A file that was removed or replaced goes on taking commits through an open
//! connection, and nobody will find them again. So the device and inode of the
//! database, its journal (`-wal`) and the journal's index (`-shm`) are
//! compared with those at the time of opening. A copy written over the file
//! keeps its inode: it shows in size and time of the last change, because in
//! between nobody but a checkpoint writes there, and ours are known.

use std::ffi::OsString;
use std::fs::Metadata;
use std::io::{self, ErrorKind};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where a database is.
#[derive(Debug, Clone)]
pub struct Files {
    pub database: PathBuf,
}

/// What SQLite keeps beside the database's file.
#[derive(Debug, PartialEq, Eq)]
struct Beside {
    journal: PathBuf,
    index: PathBuf,
}

/// What stood at the paths at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    beside: Arc<Beside>,
    database: Id,
    journal: Option<Id>,
    index: Option<Id>,
    /// Of the database's file.
    content: Content,
}

/// Size, and time of the last change in seconds and nanoseconds.
type Content = (u64, i64, i64);

/// A journal that has something in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JournalFile(Content);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id {
    device: u64,
    inode: u64,
}

/// What somebody did to the files of an open database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// Nothing is there, or what is cannot be seen.
    Removed,
    /// Another file is there.
    Replaced,
    /// The same file with another content.
    Overwritten,
    /// Somebody has made another index: who goes by it and who goes by ours
    /// do not see each other's locks.
    Index,
    /// The journal is not the one that is open, or its index is gone.
    Journal,
}

impl Files {
    pub fn new(database: &Path) -> Self {
        Self {
            database: database.to_owned(),
        }
    }

    /// `None` when there is no database.
    pub fn look(&self) -> io::Result<Option<Stamp>> {
        self.look_beside(&Arc::new(Beside::of(&self.database)))
    }

    /// The same with the journal and the index where they were `then`.
    pub fn look_again(&self, then: &Stamp) -> io::Result<Option<Stamp>> {
        self.look_beside(&then.beside)
    }

    fn look_beside(&self, beside: &Arc<Beside>) -> io::Result<Option<Stamp>> {
        let Some(database) = metadata(&self.database)? else {
            return Ok(None);
        };
        Ok(Some(Stamp {
            database: Id::of(&database),
            journal: metadata(&beside.journal)?.as_ref().map(Id::of),
            index: metadata(&beside.index)?.as_ref().map(Id::of),
            content: content(&database),
            beside: beside.clone(),
        }))
    }

    /// The worst of what has changed since `then`.
    pub fn compare(&self, then: &Stamp) -> Result<(), Change> {
        let Ok(Some(now)) = self.look_again(then) else {
            return Err(Change::Removed);
        };
        let changes = [
            (now.database != then.database, Change::Replaced),
            (now.content != then.content, Change::Overwritten),
            (
                now.index != then.index && now.index.is_some(),
                Change::Index,
            ),
            (
                now.journal != then.journal || now.index != then.index,
                Change::Journal,
            ),
        ];
        match changes.into_iter().find(|(changed, _)| *changed) {
            Some((_, change)) => Err(change),
            None => Ok(()),
        }
    }

    /// The same for as long as nobody writes.
    pub fn journal(&self) -> Option<JournalFile> {
        let journal = metadata(&Beside::of(&self.database).journal).ok().flatten();
        let journal = journal.map(|journal| JournalFile(content(&journal)));
        journal.filter(|JournalFile((bytes, ..))| *bytes > 0)
    }

    /// How much the journal takes up on the disk.
    pub fn journal_bytes(&self) -> u64 {
        self.journal().map_or(0, |JournalFile((bytes, ..))| bytes)
    }
}

impl Beside {
    fn of(database: &Path) -> Self {
        let real = database.canonicalize();
        let real = real.unwrap_or_else(|_| database.to_owned());
        let beside = |suffix: &str| {
            let mut name = OsString::from(&real);
            name.push(suffix);
            PathBuf::from(name)
        };
        Self {
            journal: beside("-wal"),
            index: beside("-shm"),
        }
    }
}

impl Stamp {
    /// The same files, whatever is in them.
    pub fn same_files(&self, other: &Self) -> bool {
        (self.database, self.journal, self.index) == (other.database, other.journal, other.index)
    }

    /// As a file is that somebody is about to copy something into.
    pub fn is_empty(&self) -> bool {
        self.content.0 == 0
    }

    /// The same file, and nobody has written into it.
    pub fn same_content(&self, other: &Self) -> bool {
        (self.database, self.content) == (other.database, other.content)
    }

    pub fn same_database(&self, other: &Self) -> bool {
        self.database == other.database
    }
}

impl Id {
    fn of(file: &Metadata) -> Self {
        Self {
            device: file.dev(),
            inode: file.ino(),
        }
    }
}

fn content(file: &Metadata) -> Content {
    (file.len(), file.mtime(), file.mtime_nsec())
}

fn metadata(path: &Path) -> io::Result<Option<Metadata>> {
    match path.metadata() {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}
