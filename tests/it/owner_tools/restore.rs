//! A backup in the place of the database, by the real program.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use super::{ada, file_office};
use crate::support::database::{Database, sqlite_url, stored};
use crate::support::process::{Process, Said, frontdoor, get, run, serve};
use crate::support::receiver::Receiver;
use crate::support::small_disk::SmallDisk;
use crate::support::terminal::Terminal;
use crate::support::visitors::{Visitors, acknowledged, send};

fn backup(database: &Database) -> PathBuf {
    let file = database.path("copy.db");
    let mut command = frontdoor(&["backup", file.to_str().unwrap()]);
    let made = run(command.env("DATABASE_URL", database.url()));
    assert_eq!(made.code, 0, "{}", made.err);
    file
}

fn restore(url: &str, file: &Path) -> Said {
    let mut command = frontdoor(&["restore", file.to_str().unwrap(), "--yes"]);
    run(command.env("DATABASE_URL", url))
}

/// The name of the one that is kept.
fn aside(database: &Database) -> PathBuf {
    let is_aside = |file: &PathBuf| file.to_string_lossy().contains(".before-restore-");
    let mut found: Vec<_> = database.files().into_iter().filter(is_aside).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

/// All files and what is in them.
fn contents(database: &Database) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = database.files().into_iter();
    files
        .map(|file| (file.clone(), fs::read(&file).unwrap()))
        .collect()
}

#[tokio::test]
async fn every_lead_acknowledged_before_a_backup_under_load_began_is_there_after_its_restore() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    let visitors = Visitors::start(process.address);
    let mut before = Vec::new();
    for _ in 0..50 {
        before.push(send(process.address, "before").await);
    }
    let before = acknowledged(&before);
    assert_eq!(before.len(), 50);
    let file = backup(&database);
    let all = acknowledged(&visitors.stop().await);
    assert!(process.terminate().1.success());
    assert!(stored(&file).is_superset(&before));

    let said = restore(&database.url(), &file);
    assert_eq!(said.code, 0, "{}", said.err);
    said.shows("As it was before: ");
    assert!(
        stored(&aside(&database)).is_superset(&all),
        "all of it is kept"
    );

    let process = Process::start(&database.url(), &[]);
    let after = send(process.address, "after").await.id.unwrap();
    assert!(process.terminate().1.success());
    let there = stored(&database.file());
    assert!(there.is_superset(&before) && there.contains(&after));
    assert_eq!(there.len(), stored(&file).len() + 1);
}

#[tokio::test]
async fn a_database_that_a_server_holds_is_left_alone() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    let file = backup(&database);
    let kept = send(process.address, "kept").await.id.unwrap();
    let said = restore(&database.url(), &file);
    assert_eq!(said.code, 1);
    said.complains("stop it first");
    assert_eq!(send(process.address, "on").await.status, 201);
    assert!(process.terminate().1.success());
    assert!(stored(&database.file()).contains(&kept));
    assert_eq!(database.files().len(), 2, "{:?}", database.files());
}

/// A killed server leaves a journal; the folder and the file may be anybody's.
#[tokio::test]
async fn no_journal_stays_and_owner_and_rights_are_those_of_the_old_file() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    let file = backup(&database);
    let last = send(process.address, "last").await.id.unwrap();
    process.kill();
    assert!(database.path("leads.db-wal").exists());
    let path = database.file();
    let facts = fs::metadata(&path).unwrap();
    let (owner, group) = match facts.uid() {
        0 => (65534, 65534),
        own => (own, facts.gid()),
    };
    for each in database
        .files()
        .iter()
        .chain([&database.folder().to_owned()])
    {
        chown(each, Some(owner), Some(group)).unwrap();
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();

    let said = restore(&database.url(), &file);
    assert_eq!(said.code, 0, "{}", said.err);
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.uid(), found.gid()), (owner, group));
    assert_eq!(found.mode() & 0o777, 0o640);
    assert!(
        stored(&aside(&database)).contains(&last),
        "journal included"
    );
    let mut files = database.files();
    files.sort_unstable();
    assert_eq!(files, [file, path, aside(&database)]);
}

#[tokio::test]
async fn a_backup_that_may_not_be_read_is_refused_in_words() {
    let database = Database::sqlite();
    let process = Process::start(&database.url(), &[]);
    let file = backup(&database);
    assert!(process.terminate().1.success());
    // Root's commands work as the user whom the database belongs to.
    let owner = fs::metadata(database.file()).unwrap().uid();
    let owner = if owner == 0 { 65534 } else { owner };
    for each in [database.file(), database.folder().to_owned()] {
        chown(each, Some(owner), Some(owner)).unwrap();
    }
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    let said = restore(&database.url(), &file);
    assert_eq!(said.code, 1, "{}", said.out);
    said.complains("copy.db: Permission denied");
    assert!(!said.err.contains("immutable"), "{}", said.err);
}

#[tokio::test]
async fn a_file_that_cannot_be_the_database_changes_nothing() {
    let office = file_office().await;
    office.add(ada(), None).await;
    office.store.close().await.unwrap();
    let database = &office.database;
    let good = fs::read(backup(database)).unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = database.path(name);
        fs::write(&path, bytes).unwrap();
        path
    };
    let change = |name: &str, sql: &str| {
        let path = write(name, &good);
        let db = rusqlite::Connection::open(&path).unwrap();
        db.execute_batch(sql).unwrap();
        path
    };
    let mut damaged = good.clone();
    let half = damaged.len() / 2;
    damaged[half..].fill(0x5a);
    let in_use = write("in-use.db", &good);
    write("in-use.db-wal", b"something");
    let newer = "UPDATE schema_migrations SET compatible_from = 9000";
    for (file, why) in [
        (database.path("absent.db"), "No such file"),
        (write("empty.db", b""), "no database of this program"),
        (
            write("text.db", b"Dear diary, ..."),
            "no database of this program",
        ),
        (change("newer.db", newer), "use a newer one"),
        (
            change("another.db", "DROP TABLE schema_migrations"),
            "no database of this program",
        ),
        (write("damaged.db", &damaged), "damaged"),
        (in_use, "`frontdoor backup`"),
        (database.file(), "the database itself"),
    ] {
        let before = contents(database);
        let said = restore(&database.url(), &file);
        assert_eq!(said.code, 1, "{}", file.display());
        assert_eq!(said.err.lines().count(), 1, "{}", said.err);
        said.complains(why);
        assert!(contents(database) == before, "{}", file.display());
    }
}

/// A backup has no journal; what a tool writes into such a file would be taken
/// for somebody else's.
#[tokio::test]
async fn a_tool_may_come_before_the_first_server() {
    let office = file_office().await;
    let id = office.add(ada(), None).await;
    office.store.close().await.unwrap();
    let file = backup(&office.database);
    assert_eq!(restore(&office.database.url(), &file).code, 0);
    let db = rusqlite::Connection::open(office.database.file()).unwrap();
    let mode: String = db
        .query_row("PRAGMA journal_mode", [], |row| row.get(0))
        .unwrap();
    assert_eq!(mode, "wal");
    drop(db);
    let said = office.run(&["leads", "answered", &id]);
    assert_eq!((said.code, said.err.as_str()), (0, ""));
    assert!(!office.database.path("leads.db-wal").exists());
}

#[tokio::test]
async fn nobody_is_there_to_ask_and_a_database_server_has_its_own_tool() {
    let office = file_office().await;
    office.store.close().await.unwrap();
    let file = backup(&office.database);
    let before = contents(&office.database);
    let said = office.run(&["restore", file.to_str().unwrap()]);
    assert_eq!(said.code, 2);
    said.complains("(0 leads) in the place of sqlite://");
    said.complains("add --yes");
    let said = restore("postgres://user:hush@127.0.0.1:1/name", &file);
    assert_eq!(said.code, 1);
    said.complains("`pg_restore`");
    assert!(contents(&office.database) == before);
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_database_as_it_was() {
    let office = file_office().await;
    for _ in 0..200 {
        office.add(ada(), None).await;
    }
    office.store.close().await.unwrap();
    let file = backup(&office.database);
    let room = fs::metadata(&file).unwrap().len() * 5 / 2;
    let Some(disk) = SmallDisk::mount(&room.to_string()) else {
        return;
    };
    let target = disk.path().join("leads.db");
    let url = sqlite_url(&target);
    let said = restore(&url, &file);
    assert_eq!(said.code, 0, "{}", said.err);
    let before = fs::read(&target).unwrap();
    let said = restore(&url, &file);
    assert_eq!(said.code, 1);
    said.complains("the disk is full");
    assert!(fs::read(&target).unwrap() == before);
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_delivered_after_the_backup_is_not_sent_again_unless_the_owner_says_so() {
    let (office, receiver) = (file_office().await, Receiver::accepting().await);
    let mut old = Vec::new();
    for _ in 0..3 {
        old.push(office.add(ada(), None).await);
    }
    let file = backup(&office.database);
    office.store.close().await.unwrap();
    let settings = [
        ("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str()),
        ("FRONTDOOR_OPS_LISTEN", "127.0.0.1:0"),
    ];
    let server = Process::start(&office.database.url(), &settings);
    receiver.wait_for_calls(3).await;
    assert!(server.terminate().1.success());
    let said = restore(&office.database.url(), &file);
    said.shows("Nothing is sent until `frontdoor deliveries resume`");

    let mut first = serve(&office.database.url()).spawn().unwrap();
    let mut log = BufReader::new(first.stdout.take().unwrap()).lines();
    assert!(log.any(|line| line.unwrap().contains("sending is paused after a restore")));
    first.kill().unwrap();
    first.wait().unwrap();
    let server = Process::start(&office.database.url(), &settings);
    assert!(get(server.ops, "/metrics").contains("\nfrontdoor_sending_paused 1\n"));
    let new = send(server.address, "new").await.id.unwrap();
    office
        .run(&["check"])
        .shows("! sending: paused since the restore at ");
    let said = office.run(&["deliveries", "resume"]);
    assert_eq!(said.code, 2);
    said.shows("\nwebhook  4        3 ");
    said.shows("they would go out a second time");
    said.complains("add --send-all to send everything, or --drop");
    let resume = || office.command(&["deliveries", "resume", "--drop"]);
    let mut terminal = Terminal::open(&resume());
    terminal.answer("[y/N] ", "\n");
    let (rest, code) = terminal.end();
    assert!(code == 1 && rest.contains("sending stays paused"), "{rest}");
    let mut terminal = Terminal::open(&resume());
    terminal.answer("[y/N] ", "y\n");
    let (rest, code) = terminal.end();
    assert!(
        code == 0 && rest.contains("3 deliveries were given up"),
        "{rest}"
    );

    receiver.wait_for_calls(4).await;
    office
        .run(&["deliveries", "retry", "--all"])
        .assert(0, "0 deliveries on the way again\n");
    assert!(get(server.ops, "/metrics").contains("\nfrontdoor_sending_paused 0\n"));
    assert!(server.terminate().1.success());
    let calls = receiver.calls();
    let sent: Vec<_> = calls[3..]
        .iter()
        .map(|call| call.header("frontdoor-lead-id"))
        .collect();
    assert_eq!(sent, [new]);
    let dropped = office.json(&["deliveries", "list", "--state", "given_up", "--json"]);
    let dropped = dropped.as_array().unwrap();
    assert_eq!(dropped.len(), 3);
    for delivery in dropped {
        assert_eq!(delivery["last_error"], "dropped after a restore");
        assert!(old.iter().any(|id| delivery["contact_id"] == **id));
    }
}
