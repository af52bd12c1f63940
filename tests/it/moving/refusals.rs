//! What cannot be moved is refused, and nothing is touched.

use super::furniture::furnish;
use super::{migrated, moving, run_on};
use crate::support::database::{Database, sqlite_url};
use crate::support::process::run;

#[test]
fn a_target_with_rows_or_the_source_itself_is_refused_and_left_alone() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), 3);
    furnish(&migrated(&server), 2);
    let refused = run(&mut moving(&files.url(), &server.url()));
    assert_eq!((refused.code, &*refused.out), (1, ""));
    refused.complains("the target holds rows already: name an empty database");
    assert_eq!(server.past().number("SELECT count(*) FROM contacts"), 2);
    assert_eq!(run_on(&server.url(), &["check"]).code, 0);
    for url in [files.url(), server.url()] {
        run(&mut moving(&url, &url)).complains("both are the same database");
        assert_eq!(run_on(&url, &["check"]).code, 0);
    }
}

#[test]
fn a_wrong_address_is_one_line_without_its_password_and_exit_code_2() {
    let files = Database::sqlite();
    let missing = run(&mut moving(
        &files.url(),
        &sqlite_url(&files.path("new.db")),
    ));
    assert_eq!(missing.code, 1);
    missing.complains("there is no database");
    assert!(!files.path("new.db").exists(), "nothing is made for it");
    for (from, to, flag) in [
        ("mysql://me:secret@h/d", files.url().as_str(), "--from"),
        (files.url().as_str(), "mysql://me:secret@h/d", "--to"),
    ] {
        let said = run(&mut moving(from, to));
        assert_eq!(
            (said.code, said.err.lines().count()),
            (2, 1),
            "{}",
            said.err
        );
        said.complains(flag);
        assert!(!said.err.contains("secret"), "{}", said.err);
    }
}

#[test]
fn a_table_of_another_program_that_does_not_take_our_rows_is_named() {
    let (files, server) = (Database::sqlite(), Database::postgres());
    furnish(&migrated(&files), 3);
    server.past().run(
        "CREATE TABLE contacts (id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
            name text, email text, message text)",
    );
    let refused = run(&mut moving(&files.url(), &server.url()));
    assert_eq!(refused.code, 1, "{}", refused.out);
    refused.complains("the target's table contacts was made by another program");
    refused.complains("name an empty database");
}
