//! Whose the files are, and what a tool leaves of them.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use frontdoor::store::{OpenMode, Retry};
use jiff::Timestamp;

use super::{ada, rights};
use crate::support::database::open;
use crate::support::process::refusal;
use crate::support::test_store::TestStore;

/// One that was only extended may be used: see `store`.
#[tokio::test]
async fn a_tool_changes_no_database_of_another_version() {
    let test = TestStore::on_file().await;
    test.store.close().await.unwrap();
    let path = test.database.file();
    for (sql, remedy) in [
        (
            "UPDATE schema_migrations SET version = version + 9000,
                compatible_from = compatible_from + 9000",
            "use a newer one",
        ),
        (
            "UPDATE schema_migrations SET version = 0, compatible_from = 0",
            "`frontdoor migrate`",
        ),
    ] {
        test.database.sql().run(sql);
        let before = fs::read(&path).unwrap();
        for command in [
            &["leads", "forget", "ada@example.org", "--yes"][..],
            &["backup", "copy.db"],
            &["check"],
        ] {
            test.run(command).fails(1, remedy);
        }
        assert!(fs::read(&path).unwrap() == before, "left as it was");
    }
}

#[tokio::test]
async fn a_tool_that_wrote_leaves_one_whole_file_and_one_that_read_leaves_all_as_it_was() {
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
}

/// Root may have put it there, and the service is somebody else.
#[tokio::test]
async fn a_database_that_may_not_be_opened_is_refused_with_its_owner_and_rights() {
    let test = TestStore::on_file().await;
    test.store.close().await.unwrap();
    let folder = fs::Permissions::from_mode(0o755);
    fs::set_permissions(test.database.folder(), folder.clone()).unwrap();
    // Where its user can reach it, which the build's own folder need not be, and
    // where programs may be run, which need not be so where the database is.
    let reachable = tempfile::tempdir_in("/var/tmp").unwrap();
    fs::set_permissions(reachable.path(), folder).unwrap();
    let program = reachable.path().join("frontdoor");
    fs::copy(env!("CARGO_BIN_EXE_frontdoor"), &program).unwrap();
    let nobody = Command::new(&program)
        .args(["leads", "list"])
        .env("DATABASE_URL", test.database.url())
        .uid(65534)
        .output()
        .unwrap();
    let said = String::from_utf8(nobody.stderr).unwrap();
    let owner = fs::metadata(test.database.file()).unwrap().uid();
    for word in [format!("user {owner} with rights"), "as user 65534".into()] {
        assert!(said.contains(&word), "{said}");
    }
}

/// The service runs as somebody else than root, who runs the tools.
#[tokio::test]
async fn side_files_belong_to_the_owner_of_the_database_and_are_for_nobody_else() {
    let test = TestStore::on_file().await;
    test.store.close().await.unwrap();
    let path = test.database.file();
    let owner = fs::metadata(&path).unwrap().uid();
    let another = if owner == 0 { 65534 } else { owner };
    std::os::unix::fs::chown(&path, Some(another), None).unwrap();
    let store = open(&path, OpenMode::Existing).await;
    store.retry(Retry::All, Timestamp::now()).await.unwrap();
    store.probe().await.unwrap();
    let files = test.database.files();
    for file in &files {
        assert_eq!(fs::metadata(file).unwrap().uid(), another, "{file:?}");
        assert_eq!(rights(file), 0o600, "{file:?}");
    }
    assert_eq!(files.len(), 3, "the database, its log and its index");
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
            (pipe.to_str().unwrap(), "it is no regular file"),
            ("/dev/zero", "it is no regular file"),
            (huge.to_str().unwrap(), "it is larger than "),
        ] {
            let said = refusal(&mut test.command(&[command, &[file]].concat()));
            assert!([1, 2].contains(&said.code), "{command:?} {file}");
            said.complains(complaint);
        }
    }
}
