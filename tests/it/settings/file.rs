//! One file for the service and every command.

use std::process::Command;

use super::{Folder, in_force};
use crate::support::process::{Process, frontdoor, post_lead, run, serve};
use crate::support::root::is_root;

const JSON: [&str; 2] = ["settings", "--json"];

#[test]
fn the_service_and_every_command_read_the_same_file() {
    let folder = Folder::with("# The data.\nDATABASE_URL='sqlite://of the file.db'\n");
    let mut command = serve("");
    command.env("FRONTDOOR_SETTINGS", folder.file());
    command.current_dir(folder.path("."));
    // Empty in the environment is not set.
    let server = Process::spawn(command, &[("DATABASE_URL", "")]);
    post_lead(server.address, &[]);
    let file = folder.file();
    let file = file.to_str().unwrap();
    let mut listings = [
        folder.command(&["leads", "list"]),
        frontdoor(&["leads", "list", "--settings", file]),
        frontdoor(&["--settings", file, "leads", "list"]),
    ];
    for listing in &mut listings {
        let said = run(listing.current_dir(folder.path(".")));
        assert!(
            said.out.contains("ada@example.org"),
            "{}{}",
            said.out,
            said.err
        );
    }
    assert!(server.terminate().1.success());
    assert!(folder.path("of the file.db").exists());
    assert!(!folder.path("data").exists());
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let folder = Folder::with("\nFRONTDOOR_RATE_LIMIT=3\n");
    let limit = |command: &mut Command| in_force(command, "FRONTDOOR_RATE_LIMIT");
    let mut command = folder.command(&JSON);
    let place = Some(format!("{}:2", folder.file().display()));
    assert_eq!(
        limit(&mut command),
        (Some("3".into()), "file".into(), place)
    );
    command.env("FRONTDOOR_RATE_LIMIT", "4");
    assert_eq!(
        limit(&mut command),
        (Some("4".into()), "environment".into(), None)
    );
    command.args(["--rate-limit", "5"]);
    assert_eq!(limit(&mut command), (Some("5".into()), "flag".into(), None));
    let untouched = in_force(&mut folder.command(&JSON), "FRONTDOOR_LISTEN");
    assert_eq!(untouched, (None, "default".into(), None));
}

#[test]
fn the_table_for_people_says_value_and_origin_and_no_secret() {
    let folder = Folder::with(
        "FRONTDOOR_SMTP_URL=smtps://me:hush@mail.example\n\
        FRONTDOOR_WEBHOOK_URL=https://hooks.example/hush\n\
        DATABASE_URL=postgres://me:hush@db.example/x\n\
        FRONTDOOR_WEBHOOK_HEADER='X-Token: hush'\n",
    );
    let said = folder.run(&["settings"]);
    assert_eq!(said.code, 0, "{}", said.err);
    let place = folder.file().display().to_string();
    for (name, value, line) in [
        ("FRONTDOOR_SMTP_URL", "smtps://me:***@mail.example", ":1"),
        ("FRONTDOOR_WEBHOOK_URL", "https://hooks.example/***", ":2"),
        ("DATABASE_URL", "postgres://db.example/x", ":3"),
        ("FRONTDOOR_WEBHOOK_HEADER", "***", ":4"),
        ("FRONTDOOR_LISTEN", "127.0.0.1:8080", "default"),
    ] {
        let mut lines = said.out.lines();
        let row = lines.find(|row| row.starts_with(&format!("{name} ")));
        let row = row.expect(name);
        assert!(row.contains(value) && row.ends_with(line), "{row}");
        assert!(line == "default" || row.contains(&place), "{row}");
    }
    assert!(!(said.out + &said.err).contains("hush"));
}

#[test]
fn a_wrong_value_of_the_file_is_shown_and_then_named() {
    let folder = Folder::with("FRONTDOOR_RATE_LIMIT=many\n");
    for command in ["settings", "serve", "check"] {
        let said = folder.run(&[command]);
        assert_eq!(said.code, 2, "{command}");
        said.complains("FRONTDOOR_RATE_LIMIT: must be");
    }
    assert!(folder.run(&["settings"]).out.contains("many"));
}

#[test]
fn a_broken_line_is_named_with_its_number_and_nothing_is_done() {
    let folder = Folder::with("DATABASE_URL=sqlite://a.db\nFRONTDOOR_SMTP_URL=\"smtp://hush\n");
    for command in [
        &["migrate"][..],
        &["serve"],
        &["leads", "list"],
        &["settings"],
    ] {
        let said = folder.run(command);
        assert_eq!(said.code, 2, "{command:?}");
        said.complains(&format!(
            "{}:2: has a quote that is not closed",
            folder.file().display()
        ));
        assert!(!said.err.contains("hush"), "{}", said.err);
    }
    assert!(!folder.path("a.db").exists());
    // Neither needs settings.
    for command in [&["completions", "bash"][..], &["man"], &["serve", "--help"]] {
        assert_eq!(folder.run(command).code, 0, "{command:?}");
    }
}

#[test]
fn a_file_that_is_named_and_not_there_is_an_error() {
    let folder = Folder::with("");
    let mut command = folder.command(&["settings"]);
    let said = run(command.env("FRONTDOOR_SETTINGS", folder.path("other.env")));
    assert_eq!(said.code, 2);
    said.complains("other.env: No such file");
}

#[test]
fn a_name_that_is_no_setting_is_an_error_with_a_tip() {
    let folder = Folder::with("DATABASE_URL=sqlite://a.db\nFRONTDOOR_LISTN=127.0.0.1:1\n");
    let said = folder.run(&["migrate"]);
    assert_eq!(said.code, 2);
    let place = folder.file().display().to_string();
    said.complains(&format!("{place}:2: FRONTDOOR_LISTN is no setting"));
    said.complains("did you mean FRONTDOOR_LISTEN?");
    let folder = Folder::with("SSL_CERT_FILE=/root.pem\n");
    folder
        .run(&["settings"])
        .complains(":1: SSL_CERT_FILE is no setting");

    let folder = Folder::with("");
    let mut command = folder.command(&["migrate"]);
    let said = run(command.env("FRONTDOOR_DATABASE_URL", "sqlite://a.db"));
    assert_eq!(said.code, 2);
    said.complains("the environment: FRONTDOOR_DATABASE_URL is no setting");
    said.complains("did you mean DATABASE_URL?");
    assert!(!folder.path("data").exists());
    // Not even one that begins as those of the tests and the build do.
    for name in [
        "FRONTDOOR_TEST_LNG",
        "FRONTDOOR_BINARY",
        "FRONTDOOR_WEB_DIR",
    ] {
        let said = run(folder.command(&["settings"]).env(name, "1"));
        assert_eq!(said.code, 2, "{name}");
        said.complains(&format!("{name} is no setting"));
    }
}

/// As they are in a container of Kubernetes, and where tests run.
#[test]
fn what_others_put_into_the_environment_is_left_alone() {
    let folder = Folder::with("");
    let mut command = folder.command(&["settings"]);
    command
        .env("FRONTDOOR_SERVICE_HOST", "10.0.0.1")
        .env("FRONTDOOR_PORT", "tcp://10.0.0.1:8080")
        .env("FRONTDOOR_PORT_8080_TCP_ADDR", "10.0.0.1")
        .env("FRONTDOOR_TEST_LONG", "1");
    assert_eq!(run(&mut command).code, 0);
    let said = run(folder.command(&["settings"]).env("FRONTDOOR_PORT", "8080"));
    assert_eq!(said.code, 2);
}

/// In a world of its own, whose `/etc` is ours.
#[test]
fn the_usual_file_is_read_where_it_exists() {
    if !is_root("put another /etc in its place") {
        return;
    }
    let program = env!("CARGO_BIN_EXE_frontdoor");
    let script = "mount -t tmpfs tmpfs /etc && mkdir /etc/frontdoor
        echo FRONTDOOR_RATE_LIMIT=7 > /etc/frontdoor/frontdoor.env
        exec env -i \"$0\" settings --json";
    let mut command = Command::new("unshare");
    command.args(["--mount", "sh", "-ec", script, program]);
    let found = in_force(&mut command, "FRONTDOOR_RATE_LIMIT");
    let place = Some("/etc/frontdoor/frontdoor.env:1".into());
    assert_eq!(found, (Some("7".into()), "file".into(), place));
}

#[test]
fn a_file_that_is_no_settings_file_by_its_size_is_refused() {
    let folder = Folder::with(&"# a line\n".repeat(30_000));
    let said = folder.run(&JSON);
    assert_eq!(said.code, 2, "{}", said.out);
    said.complains("it is larger than 256 KiB");
}
