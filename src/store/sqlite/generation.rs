//! Whether a journal belongs to the file beside it.
//!
//! SQLite applies any whole journal (`-wal`) it finds to whatever file stands
//! beside it. When a backup was copied over the file and the old journal was
//! left there, that mixes two databases. So the database carries the name of
//! its generation, a new one each time the journal is about to be folded into
//! the file: a file is the one its journal was written for if it carries the
//! name that the journal ends with, or one of those before while it is not
//! known that the folding has succeeded. A copy of the same generation is fine
//! too: the journal holds all that was written since that generation began.

use std::path::Path;

use rusqlite::{Connection, OptionalExtension as _};

use super::inspection;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generation {
    pub current: String,
    /// Names that the file may still have, oldest first, commas between them.
    previous: Option<String>,
}

impl Generation {
    /// Whether the file may still have the one of that name.
    fn follows(&self, name: &str) -> bool {
        let mut before = self.previous.iter().flat_map(|names| names.split(','));
        before.any(|each| each == name)
    }
}

/// What can be told about a file and the journal beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kinship {
    /// They belong together.
    Sure,
    /// Only reading all of it can tell.
    Doubtful,
    /// The journal is another file's.
    None,
}

/// Which of a database's generations a name is of: our own tools count on, an
/// older copy is behind.
pub fn number(name: &str) -> u64 {
    let digits = name.split('-').next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// By what the file says alone, and by what it says together with the journal.
pub fn kinship(alone: Option<&Generation>, together: Option<&Generation>) -> Kinship {
    match (alone, together) {
        (Some(file), Some(whole)) => {
            match file.current == whole.current || whole.follows(&file.current) {
                true => Kinship::Sure,
                false => Kinship::None,
            }
        }
        // From before there were generations, or cut off while folding.
        _ => Kinship::Doubtful,
    }
}

/// `None` in a database from before there were generations.
pub fn read(db: &Connection) -> rusqlite::Result<Option<Generation>> {
    let table = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'store_state'";
    if db.query_row(table, [], |_| Ok(())).optional()?.is_none() {
        return Ok(None);
    }
    let row = "SELECT generation, previous FROM store_state";
    db.query_row(row, [], |row| {
        Ok(Generation {
            current: row.get(0)?,
            previous: row.get(1)?,
        })
    })
    .optional()
}

/// What the file says without its journal. Only while this process has it not
/// open: closing it again gives up the process's locks on it.
pub fn read_file_alone(path: &Path) -> rusqlite::Result<Option<Generation>> {
    read(&inspection::open_alone(path)?)
}

/// Begins a new generation and returns its name; or goes on with `unfolded`,
/// which the caller began, if nothing has been folded since.
pub fn begin(db: &Connection, unfolded: Option<&str>) -> rusqlite::Result<String> {
    let mut next = db.prepare_cached(
        "UPDATE store_state SET previous = coalesce(previous || ',', '') || generation,
            generation = printf('%010d-', CAST(substr(generation, 1, 10) AS INTEGER) + 1)
                || lower(hex(randomblob(11)))
        WHERE generation IS NOT ?1",
    )?;
    next.execute([unfolded])?;
    let mut name = db.prepare_cached("SELECT generation FROM store_state")?;
    name.query_row([], |row| row.get(0))
}

/// Notes that the file has at least the generation of that name: those before
/// it are over. Another program may have begun a later one meanwhile.
pub fn settle(db: &Connection, folded: &str) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE store_state SET previous = CASE generation
            WHEN ?1 THEN NULL
            ELSE substr(previous, instr(previous, ?1)) END
        WHERE previous IS NOT NULL AND (generation = ?1 OR instr(previous, ?1) > 0)",
    )?
    .execute([folded])
    .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generation(current: &str, previous: Option<&str>) -> Generation {
        Generation {
            current: current.into(),
            previous: previous.map(str::to_owned),
        }
    }

    #[test]
    fn a_journal_belongs_to_the_generation_it_ends_with_or_to_one_before() {
        let whole = generation("c", Some("a,b"));
        for (file, kin) in [
            ("a", Kinship::Sure),
            ("b", Kinship::Sure),
            ("c", Kinship::Sure),
            ("d", Kinship::None),
        ] {
            assert_eq!(kinship(Some(&generation(file, None)), Some(&whole)), kin);
        }
        assert_eq!(kinship(None, Some(&whole)), Kinship::Doubtful);
        assert_eq!(kinship(None, None), Kinship::Doubtful);
    }

    #[test]
    fn what_is_folded_ends_the_generations_before_it_and_no_later_one() {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(
            "CREATE TABLE store_state (generation, previous);
            INSERT INTO store_state VALUES ('first', NULL);",
        )
        .unwrap();
        let second = begin(&db, None).unwrap();
        assert_eq!(begin(&db, Some(&second)).unwrap(), second, "still open");
        let third = begin(&db, None).unwrap();
        assert!(number(&second) > number("first") && number(&third) > number(&second));
        settle(&db, &second).unwrap();
        let found = read(&db).unwrap().unwrap();
        assert_eq!(found, generation(&third, Some(&second)));
        settle(&db, &third).unwrap();
        assert_eq!(read(&db).unwrap(), Some(generation(&third, None)));
    }

    #[test]
    fn the_file_alone_is_read_whatever_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a b?#%ä.db");
        let db = Connection::open(&path).unwrap();
        db.execute_batch(
            "CREATE TABLE store_state (generation, previous);
            INSERT INTO store_state VALUES ('one', NULL);",
        )
        .unwrap();
        drop(db);
        assert_eq!(
            read_file_alone(&path).unwrap(),
            Some(generation("one", None))
        );
    }
}
