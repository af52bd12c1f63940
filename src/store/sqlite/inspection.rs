//! Looking into a file that nobody uses: a backup, a copy. Nothing is written
//! beside it, so it may be on something that cannot be written.

use std::collections::BTreeMap;
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use rusqlite::{Connection, OpenFlags};

/// What cannot stand for itself in a path that is part of an address.
const NO_PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'.')
    .remove(b'_')
    .remove(b'-')
    .remove(b'~');

/// How many rows each table has.
pub type Rows = BTreeMap<String, i64>;

/// The file without any journal.
pub fn open_alone(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let path = percent_encode(path.as_os_str().as_encoded_bytes(), NO_PATH);
    let name = format!("file:{path}?immutable=1");
    let db = Connection::open_with_flags(name, flags)?;
    db.execute_batch("PRAGMA trusted_schema = OFF")?;
    Ok(db)
}

/// Every page and every index of it.
pub fn assert_whole(db: &Connection) -> rusqlite::Result<()> {
    let verdict: String = db.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0))?;
    match verdict.as_str() {
        "ok" => Ok(()),
        _ => Err(rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT),
            Some(verdict),
        )),
    }
}

/// Of its real tables; an index of words is kept in some of its own.
pub fn rows(db: &Connection) -> rusqlite::Result<Rows> {
    let mut tables = db.prepare(
        "SELECT name FROM pragma_table_list
        WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )?;
    let names = tables.query_map([], |row| row.get::<_, String>(0))?;
    names
        .map(|name| {
            let name = name?;
            let quoted = name.replace('"', "\"\"");
            let sql = format!("SELECT count(*) FROM \"{quoted}\"");
            Ok((name, db.query_row(&sql, [], |row| row.get(0))?))
        })
        .collect()
}
