//! A way into the database past the program, whichever it is.

use super::postgres::Session;

pub enum Past {
    File(rusqlite::Connection),
    Server(Session),
}

impl Past {
    /// How many rows the statement was about.
    pub fn run(&self, sql: &str) -> u64 {
        match self {
            Self::File(db) => db.execute(sql, []).unwrap() as u64,
            Self::Server(db) => db.run(sql),
        }
    }

    /// The one number that the query gives.
    pub fn number(&self, sql: &str) -> i64 {
        match self {
            Self::File(db) => db.query_row(sql, [], |row| row.get(0)).unwrap(),
            Self::Server(db) => db.rows(sql)[0][0].parse().unwrap(),
        }
    }

    /// All cells as text; nothing is empty text.
    pub fn rows(&self, sql: &str) -> Vec<Vec<String>> {
        match self {
            Self::File(db) => file_rows(db, sql),
            Self::Server(db) => db.rows(sql),
        }
    }

    /// Nobody can write until [`Past::let_go`].
    pub fn hold(&self) {
        match self {
            Self::File(db) => db.execute_batch("BEGIN IMMEDIATE").unwrap(),
            Self::Server(db) => hold_tables(db),
        }
    }

    pub fn let_go(&self) {
        match self {
            Self::File(db) => db.execute_batch("ROLLBACK").unwrap(),
            Self::Server(db) => drop(db.run("ROLLBACK")),
        }
    }

    /// The database refuses leads of this name.
    pub fn refuse_leads_of(&self, name: &str) {
        self.run(&match self {
            Self::File(_) => format!(
                "CREATE TRIGGER stumble BEFORE INSERT ON contacts
                WHEN NEW.name = '{name}' BEGIN SELECT RAISE(ABORT, 'stumbled'); END"
            ),
            Self::Server(_) => format!("ALTER TABLE contacts ADD CHECK (name <> '{name}')"),
        });
    }

    /// The database refuses to note that a mail was sent, until
    /// [`Past::take_sent`].
    pub fn refuse_sent(&self) {
        self.run(match self {
            Self::File(_) => {
                "CREATE TRIGGER stumble BEFORE UPDATE ON newsletter_sends
                WHEN NEW.state = 'sent' BEGIN SELECT RAISE(ABORT, 'stumbled'); END"
            }
            Self::Server(_) => {
                "CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE 'stumbled'; END $$;
                CREATE TRIGGER stumble BEFORE UPDATE ON newsletter_sends FOR EACH ROW
                WHEN (NEW.state = 'sent') EXECUTE FUNCTION stumble()"
            }
        });
    }

    /// The database refuses to note that a mail is offered to somebody to whom
    /// none was, until [`Past::take_sent`].
    pub fn refuse_offers(&self) {
        self.run(match self {
            Self::File(_) => {
                "CREATE TRIGGER stumble BEFORE INSERT ON newsletter_sends
                BEGIN SELECT RAISE(ABORT, 'stumbled'); END"
            }
            Self::Server(_) => {
                "CREATE FUNCTION stumble() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE 'stumbled'; END $$;
                CREATE TRIGGER stumble BEFORE INSERT ON newsletter_sends FOR EACH ROW
                EXECUTE FUNCTION stumble()"
            }
        });
    }

    /// The database refuses to remove a subscriber.
    pub fn keep_subscribers(&self) {
        self.run(match self {
            Self::File(_) => {
                "CREATE TRIGGER keep BEFORE DELETE ON subscribers
                BEGIN SELECT RAISE(ABORT, 'kept'); END"
            }
            Self::Server(_) => {
                "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql
                AS $$ BEGIN RAISE 'kept'; END $$;
                CREATE TRIGGER keep BEFORE DELETE ON subscribers FOR EACH ROW
                EXECUTE FUNCTION keep()"
            }
        });
    }

    pub fn take_sent(&self) {
        self.run(match self {
            Self::File(_) => "DROP TRIGGER stumble",
            Self::Server(_) => "DROP TRIGGER stumble ON newsletter_sends",
        });
    }
}

fn file_rows(db: &rusqlite::Connection, sql: &str) -> Vec<Vec<String>> {
    use rusqlite::types::Value;
    let mut query = db.prepare(sql).unwrap();
    let columns = query.column_count();
    let cell = |value: Value| match value {
        Value::Null => String::new(),
        Value::Integer(number) => number.to_string(),
        Value::Text(text) => text,
        other => format!("{other:?}"),
    };
    let rows = query.query_map([], |row| (0..columns).map(|place| row.get(place)).collect());
    let rows = rows
        .unwrap()
        .map(|row: rusqlite::Result<Vec<Value>>| row.unwrap());
    rows.map(|row| row.into_iter().map(cell).collect())
        .collect()
}

fn hold_tables(db: &Session) {
    let tables = "SELECT string_agg(quote_ident(tablename), ', ') FROM pg_tables
        WHERE schemaname = 'public'";
    let tables = &db.rows(tables)[0][0];
    db.run("BEGIN");
    db.run(&format!("LOCK TABLE {tables} IN SHARE MODE"));
}
