//! Secrets in files of their own.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::{Folder, in_force};
use crate::support::process::run;

const SMTP: &str = "FRONTDOOR_SMTP_URL";
const JSON: [&str; 2] = ["settings", "--json"];
const SHOWN: &str = "smtps://me:***@mail.example";

fn folder(settings: &str) -> Folder {
    let folder = Folder::with(settings);
    folder.write("smtp", "smtps://me:hush@mail.example\n");
    folder.write(SMTP, "smtps://me:hush@mail.example\n");
    folder
}

#[test]
fn a_secret_may_be_a_file_or_a_credential() {
    let by_file = folder("FRONTDOOR_SMTP_URL_FILE=smtp\n");
    let found = in_force(&mut by_file.command(&JSON), SMTP);
    let expected = |source: &str, place: String| (Some(SHOWN.into()), source.into(), Some(place));
    assert_eq!(found, expected("secret_file", "smtp".into()));

    let folder = folder("");
    let path = folder.path("smtp").display().to_string();
    let mut command = folder.command(&JSON);
    command.env("FRONTDOOR_SMTP_URL_FILE", &path);
    assert_eq!(in_force(&mut command, SMTP), expected("secret_file", path));

    let path = folder.path(SMTP).display().to_string();
    let mut command = folder.command(&JSON);
    command.env("CREDENTIALS_DIRECTORY", folder.path("."));
    let (value, source, place) = in_force(&mut command, SMTP);
    assert_eq!((value, &*source), (Some(SHOWN.into()), "credential"));
    assert_eq!(
        fs::canonicalize(place.unwrap()).unwrap(),
        fs::canonicalize(path).unwrap()
    );
}

/// And the environment's wins over that of the file.
#[test]
fn a_secret_that_is_given_twice_in_one_place_is_an_error() {
    let twice = folder("FRONTDOOR_SMTP_URL=smtp://x\nFRONTDOOR_SMTP_URL_FILE=smtp\n");
    let said = twice.run(&["settings"]);
    assert_eq!(said.code, 2);
    said.complains("FRONTDOOR_SMTP_URL and FRONTDOOR_SMTP_URL_FILE are both set in ");

    let folder = folder("FRONTDOOR_SMTP_URL=smtp://x.example\n");
    let with = |settings: &[(&str, &str)]| {
        let mut command = folder.command(&JSON);
        command.envs(settings.iter().copied());
        command
    };
    let here = ("CREDENTIALS_DIRECTORY", ".");
    for settings in [
        &[(SMTP, "smtp://x"), ("FRONTDOOR_SMTP_URL_FILE", "smtp")][..],
        &[(SMTP, "smtp://x"), here],
        &[("FRONTDOOR_SMTP_URL_FILE", "smtp"), here],
    ] {
        let said = run(&mut with(settings));
        assert_eq!(said.code, 2, "{settings:?}");
        said.complains("are both set: keep one");
    }
    let found = in_force(&mut with(&[("FRONTDOOR_SMTP_URL_FILE", "smtp")]), SMTP);
    assert_eq!(found.1, "secret_file");
}

#[test]
fn what_cannot_be_read_or_is_no_secret_is_an_error() {
    let missing = Folder::with("FRONTDOOR_SMTP_URL_FILE=/nowhere/smtp\n");
    let said = missing.run(&["settings"]);
    assert_eq!(said.code, 2);
    said.complains("FRONTDOOR_SMTP_URL: cannot read /nowhere/smtp");
    let no_secret = Folder::with("FRONTDOOR_LISTEN_FILE=listen\n");
    let said = no_secret.run(&["settings"]);
    assert_eq!(said.code, 2);
    said.complains("FRONTDOOR_LISTEN_FILE is no setting");
}

#[test]
fn a_file_with_secrets_that_everybody_may_read_is_warned_of() {
    let open = |path: &std::path::Path| {
        fs::set_permissions(path, Permissions::from_mode(0o644)).unwrap();
    };
    let in_file = Folder::with("FRONTDOOR_SMTP_URL=smtp://me:hush@mail.example\n");
    assert_eq!(in_file.run(&["settings"]).err, "");
    open(&in_file.file());
    let path = in_file.file().display().to_string();
    let said = in_file.run(&["settings"]);
    assert_eq!(said.code, 0);
    said.complains(&format!("chmod o-rwx {path}"));

    let harmless = Folder::with("FRONTDOOR_SMTP_URL=smtp://mail.example\n");
    open(&harmless.file());
    assert_eq!(harmless.run(&["settings"]).err, "");

    let apart = folder("FRONTDOOR_SMTP_URL_FILE=smtp\n");
    open(&apart.path("smtp"));
    apart.run(&["settings"]).complains("chmod o-rwx smtp");
}
