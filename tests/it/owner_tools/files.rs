//! The database file: its owner and permissions, what commands leave behind, backups and restores.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use frontdoor::domain::SecretToken;
use rustix::fs::{FlockOperation, flock};

use super::ada;
use crate::support::{
    CommandOutput, Database, Process, Receiver, SmallDisk, Terminal, TestStore, Visitors,
    acknowledged, frontdoor, get, refusal, run, send, sqlite_url, stored,
};

#[tokio::test]
async fn a_tool_leaves_one_whole_file_and_changes_no_database_of_an_older_version() {
    let test = TestStore::on_file().await;
    let id = test.add_held(ada()).await;
    test.store.close().await.unwrap();
    for command in [
        &["leads", "list"][..],
        &["leads", "release", &id],
        &["check"],
    ] {
        test.run(command).succeeds();
        let files = test.database.files();
        assert_eq!(files, [test.database.file()], "{command:?}");
    }
    let older = "UPDATE schema_migrations SET version = version - 1, compatible_from = 0";
    test.database.sql().run(older);
    let before = fs::read(test.database.file()).unwrap();
    let forget = test.run(&["leads", "forget", "ada@example.org", "--yes"]);
    forget.fails_with(1, "`frontdoor migrate`");
    assert!(fs::read(test.database.file()).unwrap() == before);
}

#[tokio::test]
async fn a_file_of_the_owners_is_a_regular_one_and_no_larger_than_it_can_be() {
    let test = TestStore::on_file().await;
    let (pipe, huge) = (test.database.path("pipe"), test.database.path("huge"));
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    fs::File::create(&huge).unwrap().set_len(33 << 20).unwrap();
    let commands = [
        &["publish"][..],
        &["newsletter", "send", "--dry-run"],
        &["subscribers", "import", "--consent", "They said yes."],
        &["leads", "import"],
        &["leads", "list", "--settings"],
    ];
    for command in commands {
        for (file, complaint) in [
            (pipe.to_str().unwrap(), "it isn't a regular file"),
            (huge.to_str().unwrap(), "it is larger than "),
        ] {
            let output = refusal(&mut test.command(&[command, &[file]].concat()));
            assert!([1, 2].contains(&output.code), "{command:?} {file}");
            output.stderr_contains(complaint);
        }
    }
}

#[tokio::test]
async fn a_backup_is_complete_private_overwrites_nothing_and_removes_leftovers_of_a_killed_one() {
    let test = TestStore::on_file().await;
    let id = test.add(ada()).await;
    let left = test.database.path("killed.db.frontdoor-partial");
    fs::write(&left, "half a database").unwrap();
    // As a backup that is being written holds it.
    let folder = File::open(test.database.folder()).unwrap();
    flock(&folder, FlockOperation::LockShared).unwrap();
    for (name, is_left) in [("one.db", true), ("two.db", false)] {
        let file = test.database.path(name);
        let command = ["backup", file.to_str().unwrap()];
        test.run(&command).succeeds();
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o600);
        test.run(&command).fails_with(1, "exists already");
        assert_eq!(left.exists(), is_left, "{name}");
        let mut show = frontdoor(&["leads", "show", &id]);
        run(show.env("DATABASE_URL", sqlite_url(&file))).stdout_contains("ada@example.org");
        flock(&folder, FlockOperation::Unlock).unwrap();
    }
}

fn backup(database: &Database) -> PathBuf {
    let file = database.path("copy.db");
    database.run(&["backup", file.to_str().unwrap()]).succeeds();
    file
}

fn restore(url: &str, file: &Path) -> CommandOutput {
    let mut command = frontdoor(&["restore", file.to_str().unwrap(), "--yes"]);
    run(command.env("DATABASE_URL", url))
}

/// The old database, which a restore keeps.
fn kept_database(database: &Database) -> PathBuf {
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
    restore(&database.url(), &file).fails_with(1, "stop it first");
    assert!(process.terminate().1.success());
    assert!(stored(&file).is_superset(&before));

    let output = restore(&database.url(), &file).succeeds();
    output.stdout_contains("The database as it was before: ");
    let kept = stored(&kept_database(&database));
    assert!(kept.is_superset(&all), "all of it is kept");

    let process = Process::start(&database.url(), &[]);
    let after = send(process.address, "after").await.id.unwrap();
    assert!(process.terminate().1.success());
    let there = stored(&database.file());
    assert!(there.is_superset(&before) && there.contains(&after));
    assert_eq!(there.len(), stored(&file).len() + 1);
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
    for each in [database.files(), vec![database.folder().to_owned()]].concat() {
        chown(each, Some(owner), Some(group)).unwrap();
    }
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();

    restore(&database.url(), &file).succeeds();
    let found = fs::metadata(&path).unwrap();
    assert_eq!((found.uid(), found.gid()), (owner, group));
    assert_eq!(found.mode() & 0o777, 0o640);
    let kept = stored(&kept_database(&database));
    assert!(kept.contains(&last), "journal included");
    let mut files = database.files();
    files.sort_unstable();
    assert_eq!(files, [file, path, kept_database(&database)]);
}

#[tokio::test]
async fn a_file_that_cannot_be_the_database_changes_nothing_and_one_that_can_is_asked_about() {
    let test = TestStore::on_file().await;
    let id = test.add(ada()).await;
    test.store.close().await.unwrap();
    let database = &test.database;
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
    let another = "DROP TABLE schema_migrations";
    for (file, why) in [
        (database.path("absent.db"), "No such file"),
        (write("empty.db", b""), "isn't a frontdoor database"),
        (
            change("newer.db", newer),
            "install the version that wrote it, or a later one",
        ),
        (change("another.db", another), "isn't a frontdoor database"),
        (write("damaged.db", &damaged), "damaged"),
        (in_use, "`frontdoor backup`"),
        (database.file(), "the database itself"),
    ] {
        let before = contents(database);
        let output = restore(&database.url(), &file);
        assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
        output.fails_with(1, why);
        assert!(contents(database) == before, "{}", file.display());
    }

    let file = write("good.db", &good);
    let before = contents(database);
    let output = test.run(&["restore", file.to_str().unwrap()]);
    output.fails_with(2, "(1 lead, the last of ");
    output.stderr_contains("add --yes");
    let on_server = restore("postgres://user:hush@127.0.0.1:1/name", &file);
    on_server.fails_with(1, "`pg_restore`");
    assert!(contents(database) == before);
    // A backup has no journal; what a tool writes into such a file would be taken for
    // somebody else's.
    restore(&test.database.url(), &file).succeeds();
    let mode = test.database.sql().rows("PRAGMA journal_mode");
    assert_eq!(mode, [["wal"]]);
    let output = test.run(&["leads", "answered", &id]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    assert!(!test.database.path("leads.db-wal").exists());
}

#[tokio::test]
async fn a_full_disk_leaves_the_old_database_as_it_was() {
    let test = TestStore::on_file().await;
    for _ in 0..200 {
        test.add(ada()).await;
    }
    test.store.close().await.unwrap();
    let file = backup(&test.database);
    let room = fs::metadata(&file).unwrap().len() * 3 / 2;
    let Some(disk) = SmallDisk::mount(&room.to_string()) else {
        return;
    };
    let target = disk.path().join("leads.db");
    let url = sqlite_url(&target);
    restore(&url, &file).succeeds();
    let before = fs::read(&target).unwrap();
    restore(&url, &file).fails_with(1, "the disk is full");
    assert!(fs::read(&target).unwrap() == before);
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn deliveries_made_after_the_backup_are_not_repeated_unless_the_owner_says_so() {
    let (test, receiver) = (TestStore::on_file().await, Receiver::accepting().await);
    let mut old = Vec::new();
    for _ in 0..3 {
        old.push(test.add(ada()).await);
    }
    let file = backup(&test.database);
    test.store.close().await.unwrap();
    let settings = [("FRONTDOOR_WEBHOOK_URL", receiver.url.as_str())];
    let server = Process::start(&test.database.url(), &settings);
    receiver.wait_for_calls(3).await;
    assert!(server.terminate().1.success());
    let output = restore(&test.database.url(), &file);
    output.stdout_contains("Nothing is sent until `frontdoor deliveries resume`");

    let server = Process::start(&test.database.url(), &settings);
    assert!(get(server.ops, "/metrics").contains("\nfrontdoor_sending_paused 1\n"));
    let new = send(server.address, "new").await.id.unwrap();
    test.run(&["check"])
        .stdout_contains("! sending: paused since the restore at ");
    let output = test.run(&["deliveries", "resume"]);
    output.stdout_contains("\nwebhook  4        3 ");
    output.stdout_contains("sending them would repeat them");
    output.fails_with(2, "add --send-all to send everything, or --drop");
    for (answer, expected, words) in [
        ("\n", 1, "sending stays paused"),
        ("y\n", 0, "3 deliveries were given up"),
    ] {
        let mut terminal = Terminal::open(&test.command(&["deliveries", "resume", "--drop"]));
        terminal.answer("[y/N] ", answer);
        let (rest, code) = terminal.end();
        assert!(code == expected && rest.contains(words), "{rest}");
    }

    receiver.wait_for_calls(4).await;
    test.run(&["deliveries", "retry", "--all"])
        .exits_with(0, "0 deliveries on the way again\n");
    assert!(get(server.ops, "/metrics").contains("\nfrontdoor_sending_paused 0\n"));
    assert!(server.terminate().1.success());
    let calls = receiver.calls();
    assert_eq!(calls.len(), 4);
    assert_eq!(calls[3].header("frontdoor-lead-id"), new);
    let dropped = test.json(&["deliveries", "list", "--state", "given_up", "--json"]);
    let dropped = dropped.as_array().unwrap();
    assert_eq!(dropped.len(), 3);
    for delivery in dropped {
        assert_eq!(delivery["last_error"], "dropped after a restore");
        assert!(old.iter().any(|id| delivery["contact_id"] == **id));
    }
}

#[tokio::test]
async fn people_who_unsubscribed_and_browsers_that_were_signed_out_since_the_backup_stay_so() {
    let test = TestStore::on_file().await;
    test.add_confirmed(2).await;
    let (link, key) = (SecretToken::random(), SecretToken::random());
    let (store, now) = (&test.store, test.now());
    store.add_desk_link(&link, "Anna", now).await.unwrap();
    store.open_desk(&link, &key, now).await.unwrap();
    let file = backup(&test.database);
    store.revoke_desk_sessions(None).await.unwrap();
    test.database.sql().run(
        "UPDATE subscribers SET state = 'unsubscribed', unsubscribed_at = created_at
        WHERE email = 'person1@example.org'",
    );
    test.store.close().await.unwrap();
    restore(&test.database.url(), &file)
        .stdout_contains("Unsubscribed since the backup, and still unsubscribed: 1.");
    let sql = test.database.sql();
    let states = sql.rows("SELECT state FROM subscribers ORDER BY email");
    assert_eq!(states, [["confirmed"], ["unsubscribed"]]);
    assert!(sql.rows("SELECT 1 FROM desk_sessions").is_empty());
}

#[tokio::test]
async fn another_programs_database_is_refused_in_one_line() {
    let database = Database::sqlite();
    let db = rusqlite::Connection::open(database.file()).unwrap();
    db.execute_batch("CREATE TABLE contacts (id)").unwrap();
    db.close().unwrap();
    let output = database.run(&["migrate"]);
    output.stderr_contains("table contacts already exists");
    assert_eq!(output.stderr.lines().count(), 1, "{}", output.stderr);
}
