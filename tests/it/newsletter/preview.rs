//! The mail as a file, for a browser.

use std::fs;

use crate::support::process::{frontdoor, run};

/// What the file has in it.
pub fn preview(database_url: &str, text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("issue.md");
    fs::write(&file, text).unwrap();
    fs::write(folder.path().join("dot.gif"), b"GIF89a\x03\0\x03\0\0\0\0;").unwrap();
    let mut command = frontdoor(&["newsletter", "preview", file.to_str().unwrap()]);
    let said = run(command.env("DATABASE_URL", database_url));
    let written = folder.path().join("issue.preview.html");
    said.assert(0, &format!("{}\n", written.display()));
    fs::read_to_string(written).unwrap()
}

#[test]
fn the_mail_is_written_with_its_pictures_also_without_a_database() {
    let text = "# Hello *you*\n\nRead [this](/blog).\n\n![A dot](dot.gif)\n";
    let mail = preview("sqlite:///nowhere/none.db", text);
    assert!(mail.contains("/blog\">this</a>"), "{mail}");
    let picture = "src=\"data:image/gif;base64,R0lGODlhAwADAAAAADs=\" alt=\"A dot\" width=\"3\"";
    assert!(mail.contains(picture), "{mail}");
}
