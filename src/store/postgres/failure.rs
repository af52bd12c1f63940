//! What a server's error means to us.
//!
//! A server's message may quote values; its code and the names of tables and
//! constraints never do.

use tokio_postgres::Error;
use tokio_postgres::error::{DbError, SqlState};

use crate::calls::cause;
use crate::store::StoreError;

impl From<Error> for StoreError {
    fn from(error: Error) -> Self {
        match error.code() {
            Some(code) if comes_again(code) => Self::Busy(in_words(&error)),
            _ => Self::Unavailable(in_words(&error)),
        }
    }
}

pub fn in_words(error: &Error) -> String {
    match error.as_db_error() {
        Some(said) => words(said),
        None => of_the_line(error),
    }
}

/// Soon it may work, on this very server.
fn comes_again(code: &SqlState) -> bool {
    [
        &SqlState::T_R_SERIALIZATION_FAILURE,
        &SqlState::T_R_DEADLOCK_DETECTED,
        &SqlState::LOCK_NOT_AVAILABLE,
        &SqlState::QUERY_CANCELED,
        &SqlState::TOO_MANY_CONNECTIONS,
    ]
    .contains(&code)
}

fn words(said: &DbError) -> String {
    match remedy(said.code()) {
        Some(remedy) => format!("{remedy} ({})", said.code().code()),
        None => bare(said),
    }
}

fn bare(said: &DbError) -> String {
    let names = [said.table(), said.column(), said.constraint()];
    let names: Vec<_> = names.into_iter().flatten().collect();
    let of = match names.is_empty() {
        true => String::new(),
        false => format!(", {}", names.join(", ")),
    };
    format!("{} {}{of}", said.severity(), said.code().code())
}

/// Where the owner can do something about it, what.
fn remedy(code: &SqlState) -> Option<&'static str> {
    Some(match *code {
        SqlState::INVALID_PASSWORD => "the password is wrong, or has expired",
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION => {
            "this role may not log in from here: see pg_hba.conf and sslmode"
        }
        SqlState::INVALID_CATALOG_NAME => {
            "there is no database of that name on the server: `createdb` makes one"
        }
        SqlState::INSUFFICIENT_PRIVILEGE => {
            "the role lacks a right: it needs CONNECT on the database, USAGE and CREATE on its \
             schema, and must own the tables"
        }
        SqlState::UNDEFINED_TABLE => "a table is missing",
        SqlState::TOO_MANY_CONNECTIONS => {
            "the server has no connection left: lower FRONTDOOR_DATABASE_CONNECTIONS"
        }
        SqlState::DISK_FULL => "the disk of the database server is full: make room",
        SqlState::READ_ONLY_SQL_TRANSACTION => "the database server is read-only",
        SqlState::ADMIN_SHUTDOWN | SqlState::CRASH_SHUTDOWN | SqlState::CANNOT_CONNECT_NOW => {
            "the database server is starting or stopping"
        }
        SqlState::LOCK_NOT_AVAILABLE => "a lock is held too long",
        SqlState::QUERY_CANCELED => "it takes too long",
        SqlState::DATA_CORRUPTED | SqlState::INDEX_CORRUPTED => {
            "the server says that its data is damaged: see its log"
        }
        _ => return None,
    })
}

/// Not the server's word, but that of the way to it.
fn of_the_line(error: &Error) -> String {
    use std::error::Error as _;
    if error.is_closed() {
        return "the connection was closed".into();
    }
    let why = error.source().map(ToString::to_string).unwrap_or_default();
    match why.as_str() {
        "password missing" => "the server asks for a password".into(),
        "server does not support TLS" => "the server does not speak TLS: see sslmode".into(),
        _ => match cause::words(error) {
            cause::UNKNOWN => error.to_string(),
            words => words.into(),
        },
    }
}

/// The server could be reached, but not in secret.
pub fn is_of_tls(error: &Error) -> bool {
    use std::error::Error as _;
    let mut cause = error.source();
    while let Some(error) = cause {
        if error.is::<rustls::Error>() {
            return true;
        }
        cause = error.source();
    }
    error.to_string() == "error performing TLS handshake"
}
