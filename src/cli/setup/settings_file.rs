//! The settings file: every setting there is with its help, commented out but
//! for those that are set.

use super::answers::Answers;
use crate::config::{self, Row};

const HEAD: &str = "\
# Settings of frontdoor, for the service and for every command; a line is NAME=value.
# After a change: frontdoor check && systemctl restart frontdoor
# Where the site listens is said by frontdoor.socket (systemctl edit frontdoor.socket).
";
const WIDTH: usize = 100;

pub fn text(answers: &Answers) -> String {
    write(|row| answers.value(&row.name).map(str::to_owned))
}

/// Without passwords.
pub fn shown(answers: &Answers) -> String {
    write(|row| answers.value(&row.name).map(|value| row.shown(value)))
}

fn write(value: impl Fn(&Row) -> Option<String>) -> String {
    let (mut text, mut group) = (HEAD.to_owned(), String::new());
    for row in config::rows() {
        if row.heading != group {
            text += &format!("\n# {}\n", row.heading);
        }
        text += "\n";
        for line in wrapped(&format!("{} [default: {}]", row.help, row.default)) {
            text += &format!("# {line}\n");
        }
        text += &match value(&row) {
            Some(value) => format!("{}={value}\n", row.name),
            None => format!("#{}=\n", row.name),
        };
        group = row.heading;
    }
    text
}

fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < WIDTH => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}
