//! Where settings come from: one file for the service and every command, the environment,
//! flags, and files of their own for secrets.

mod owner;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::support::{CommandOutput, Process, frontdoor, is_root, post_lead, run, serve};

const JSON: [&str; 2] = ["settings", "--json"];
const SMTP: &str = "FRONTDOOR_SMTP_URL";
const SMTP_FILE: &str = "FRONTDOOR_SMTP_URL_FILE";

/// A folder with a settings file, and a secret in a file of its own.
struct Folder(TempDir);

impl Folder {
    fn with(settings: &str) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        folder.write("frontdoor.env", settings);
        folder.write("smtp", "smtps://me:hush@mail.example\n");
        folder
    }

    /// A file that is for its owner only.
    fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
        path
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn file(&self) -> PathBuf {
        self.path("frontdoor.env")
    }

    fn line(&self, number: usize) -> String {
        format!("{}:{number}", self.file().display())
    }

    /// A command with this file, named as the service names it.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = frontdoor(arguments);
        command
            .env("FRONTDOOR_SETTINGS", self.file())
            .current_dir(self.0.path());
        command
    }

    fn run(&self, arguments: &[&str]) -> CommandOutput {
        run(&mut self.command(arguments))
    }
}

/// Value, source and place of a setting, as `settings --json` says.
fn effective(command: &mut Command, name: &str) -> String {
    let all = run(command).json();
    let mut all = all.as_array().unwrap().iter();
    let found = all.find(|each| each["name"] == name).expect(name);
    let text = |key: &str| found[key].as_str().unwrap_or("-").to_owned();
    ["value", "source", "place"].map(text).join(" ")
}

#[track_caller]
fn is_refused(command: &mut Command, words: &str) {
    let output = run(command);
    output.fails_with(2, words);
    let is_one_line =
        output.stderr.starts_with("frontdoor: ") && output.stderr.lines().count() == 1;
    assert!(
        is_one_line && !output.stderr.contains("hush"),
        "{}",
        output.stderr
    );
}

#[test]
fn the_service_and_every_command_read_the_same_file() {
    let folder = Folder::with("# The data.\nDATABASE_URL='sqlite://of the file.db'\n");
    let mut command = serve("");
    command.env("FRONTDOOR_SETTINGS", folder.file());
    command.current_dir(folder.path("."));
    // Empty in the environment isn't set.
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
        run(listing.current_dir(folder.path("."))).stdout_contains("ada@example.org");
    }
    assert!(server.terminate().1.success());
    assert!(folder.path("of the file.db").exists());
    assert!(!folder.path("data").exists());
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let folder = Folder::with("\nFRONTDOOR_RATE_LIMIT=3\n");
    let limit = |command: &mut Command| effective(command, "FRONTDOOR_RATE_LIMIT");
    let mut command = folder.command(&JSON);
    let of_the_file = format!("3 file {}", folder.line(2));
    assert_eq!(limit(&mut command), of_the_file);
    command.env("FRONTDOOR_RATE_LIMIT", "4");
    assert_eq!(limit(&mut command), "4 environment -");
    command.args(["--rate-limit", "5"]);
    assert_eq!(limit(&mut command), "5 flag -");
    let untouched = effective(&mut folder.command(&JSON), "FRONTDOOR_LISTEN");
    assert_eq!(untouched, "- default -");
    // A wrong value is shown and then named.
    let wrong = Folder::with("FRONTDOOR_RATE_LIMIT=many\n");
    let words = "FRONTDOOR_RATE_LIMIT: must be";
    for command in ["settings", "serve", "check"] {
        is_refused(&mut wrong.command(&[command]), words);
    }
    // For people.
    let wrong = Folder::with("FRONTDOOR_RATE_LIMIT=many\nFRONTDOOR_SMTP_URL=smtp://me:hush@x\n");
    let output = wrong.run(&["settings"]);
    for (name, value, origin) in [
        ("FRONTDOOR_RATE_LIMIT ", "many", wrong.line(1)),
        (SMTP, "smtp://me:***@x", wrong.line(2)),
        ("FRONTDOOR_LISTEN ", "127.0.0.1:8080", "default".into()),
    ] {
        let row = output
            .stdout
            .lines()
            .find(|row| row.starts_with(name))
            .unwrap();
        assert!(row.contains(value) && row.ends_with(&origin), "{row}");
    }
}

#[test]
fn a_file_that_is_broken_missing_or_far_too_large_is_refused_and_nothing_is_done() {
    let folder = Folder::with("DATABASE_URL=sqlite://a.db\nFRONTDOOR_SMTP_URL=\"smtp://hush\n");
    let words = format!("{}: has a quote that isn't closed", folder.line(2));
    for command in [&["migrate"][..], &["serve"], &["leads", "list"]] {
        is_refused(&mut folder.command(command), &words);
    }
    assert!(!folder.path("a.db").exists());
    // Neither needs settings.
    for command in [&["completions", "bash"][..], &["man"], &["serve", "--help"]] {
        folder.run(command).succeeds();
    }
    folder.write("frontdoor.env", &"# a line\n".repeat(30_000));
    is_refused(&mut folder.command(&JSON), "it is larger than 256 KiB");
    let mut command = folder.command(&JSON);
    command.env("FRONTDOOR_SETTINGS", folder.path("other.env"));
    is_refused(&mut command, "other.env: No such file");
}

#[test]
fn an_unknown_setting_is_an_error_with_a_suggestion() {
    let folder = Folder::with("DATABASE_URL=sqlite://a.db\nFRONTDOOR_LISTN=127.0.0.1:1\n");
    let words = "FRONTDOOR_LISTN isn't a setting of frontdoor: did you mean FRONTDOOR_LISTEN?";
    let words = format!("{}: {words}", folder.line(2));
    is_refused(&mut folder.command(&["migrate"]), &words);
    for name in ["SSL_CERT_FILE", "FRONTDOOR_LISTEN_FILE"] {
        folder.write("frontdoor.env", &format!("{name}=/x\n"));
        let words = format!(":1: {name} isn't a setting");
        is_refused(&mut folder.command(&JSON), &words);
    }
    folder.write("frontdoor.env", "");
    for (name, tip) in [
        ("FRONTDOOR_DATABASE_URL", ": did you mean DATABASE_URL?"),
        // Not even one that begins as those of the tests and the build do.
        ("FRONTDOOR_TEST_LNG", ""),
        ("FRONTDOOR_PORT", ""),
    ] {
        let words = format!("the environment: {name} isn't a setting of frontdoor{tip}\n");
        is_refused(folder.command(&["migrate"]).env(name, "1"), &words);
    }
    assert!(!folder.path("data").exists());
    // What others put there is left alone: in a container of Kubernetes, and where tests run.
    let mut command = folder.command(&["settings"]);
    command
        .env("FRONTDOOR_SERVICE_HOST", "10.0.0.1")
        .env("FRONTDOOR_PORT", "tcp://10.0.0.1:8080")
        .env("FRONTDOOR_PORT_8080_TCP_ADDR", "10.0.0.1")
        .env("FRONTDOOR_TEST_LONG", "1");
    run(&mut command).succeeds();
}

/// In a mount namespace of its own, whose `/etc` is ours.
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
    let found = effective(&mut command, "FRONTDOOR_RATE_LIMIT");
    assert_eq!(found, "7 file /etc/frontdoor/frontdoor.env:1");
}

#[test]
fn a_secret_may_be_a_file_of_its_own_but_not_given_twice_in_one_place() {
    let expected = "smtps://me:***@mail.example secret_file smtp";
    let folder = Folder::with("FRONTDOOR_SMTP_URL_FILE=smtp\n");
    let found = effective(&mut folder.command(&JSON), SMTP);
    assert_eq!(found, expected);
    // The environment wins over the file.
    folder.write("frontdoor.env", "FRONTDOOR_SMTP_URL=smtp://x.example\n");
    let found = effective(folder.command(&JSON).env(SMTP_FILE, "smtp"), SMTP);
    assert_eq!(found, expected);

    let words = "FRONTDOOR_SMTP_URL is set twice in the environment, ";
    let both = [(SMTP, "smtp://x"), (SMTP_FILE, "smtp")];
    is_refused(folder.command(&JSON).envs(both), words);
    let twice = "FRONTDOOR_SMTP_URL=smtp://x\nFRONTDOOR_SMTP_URL_FILE=smtp\n";
    folder.write("frontdoor.env", twice);
    let words = "FRONTDOOR_SMTP_URL is set twice in the settings file, ";
    is_refused(&mut folder.command(&JSON), words);
    folder.write("frontdoor.env", "");
    let words = "FRONTDOOR_SMTP_URL: can't read /nowhere/smtp";
    is_refused(folder.command(&JSON).env(SMTP_FILE, "/nowhere/smtp"), words);
}

#[test]
fn a_file_with_secrets_that_everybody_may_read_is_warned_of() {
    let open = |path: &Path| fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
    let folder = Folder::with("FRONTDOOR_SMTP_URL=smtp://me:hush@mail.example\n");
    assert_eq!(folder.run(&["settings"]).stderr, "");
    open(&folder.file());
    let output = folder.run(&["settings"]).succeeds();
    output.stderr_contains(&format!("chmod o-rwx {}", folder.file().display()));

    folder.write("frontdoor.env", "FRONTDOOR_SMTP_URL_FILE=smtp\n");
    open(&folder.file());
    assert_eq!(folder.run(&["settings"]).stderr, "", "no secret is in it");
    open(&folder.path("smtp"));
    folder
        .run(&["settings"])
        .stderr_contains("chmod o-rwx smtp");
}
