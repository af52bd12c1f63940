//! What is asked of a release before it is published: that this program can
//! serve it, and that visitors find it whole and light.

mod bodies;
mod budget;
mod facts;
mod inline;
mod links;
mod markup;

use super::press::Press;
use super::release::{Edition, Kind, Release};

/// Where the program itself answers: a page there would take its place.
pub const NO_PAGES: [&str; 2] = ["/api/", "/newsletter/"];

/// Each reason not to publish it, in a line.
pub fn faults(release: &Release, press: &Press) -> Vec<String> {
    let checks: [fn(&Edition) -> Vec<String>; 6] = [
        in_the_way,
        statuses,
        bodies::faults,
        inline::faults,
        links::faults,
        budget::faults,
    ];
    let mut faults = facts::faults(release);
    for edition in release.editions() {
        let printed = press.print(edition).err();
        let refused = printed.map(|error| format!("this program cannot serve it: {error:#}"));
        let found = checks.iter().flat_map(|check| check(edition));
        // Editions have most of their files in common.
        for fault in refused.into_iter().chain(found) {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
    }
    faults
}

fn in_the_way(edition: &Edition) -> Vec<String> {
    let paths = edition.served().map(|file| &file.path);
    let taken = paths.filter(|path| NO_PAGES.iter().any(|taken| path.starts_with(taken)));
    taken
        .map(|path| format!("{path}: the program itself answers there"))
        .collect()
}

/// What is found by its path is there.
fn statuses(edition: &Edition) -> Vec<String> {
    let files = edition.files.iter();
    let wrong = files.filter(|file| match file.kind {
        Kind::Template if file.path.ends_with("not-found") => file.status != 404,
        Kind::Template => !matches!(file.status, 200 | 400..=499),
        _ => file.status != 200,
    });
    wrong
        .map(|file| format!("{}: {} is not its status", file.path, file.status))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::release::built;
    use super::super::shell::Shell;
    use super::*;

    #[test]
    fn a_template_that_handlers_do_not_know_is_a_reason() {
        let release = Release::carried(built()).unwrap();
        // Nothing is put into any template.
        let faults = faults(&release, &Press::new(Shell::default(), &[]));
        let [fault] = &faults[..] else {
            panic!("{faults:?}")
        };
        assert!(fault.starts_with("this program cannot serve it: the template contact-outcome"));
    }
}
