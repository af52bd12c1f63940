//! What the real program writes about leads: nothing personal.

use crate::support::database::Database;
use crate::support::process::{Process, post_lead};

#[test]
fn a_held_lead_is_a_warning_without_a_word_of_it() {
    let database = Database::new();
    let server = Process::start(&database.url(), &[]);
    post_lead(server.address, &[("elapsed_ms", "1")]);
    let (log, _) = server.terminate();
    let line = log.iter().find(|line| line.contains("leads list --held"));
    let line = line.expect("a line about it");
    assert!(line.contains("WARN") && !line.contains("Ada"), "{line}");
}
