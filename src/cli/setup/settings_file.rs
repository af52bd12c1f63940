//! The settings file: every setting there is with its help, commented out but
//! for those that are set.

use std::ffi::OsStr;

use clap::{Arg, Args as _, Command};

use super::answers::Answers;
use crate::config::ServeArgs;

const HEAD: &str = "\
# Settings of frontdoor, for the service and for every command; a line is NAME=value.
# After a change: frontdoor check && systemctl restart frontdoor
# Where the site listens is said by frontdoor.socket (systemctl edit frontdoor.socket).
";
/// In the place of a secret that is only shown.
const MASK: &str = "***";
const WIDTH: usize = 100;

pub fn text(answers: &Answers) -> String {
    write(|row| answers.value(variable(row)).map(str::to_owned))
}

/// Without passwords.
pub fn shown(answers: &Answers) -> String {
    write(|row| {
        let value = answers.value(variable(row))?;
        let is_secret = row.is_hide_env_values_set() && variable(row) != "DATABASE_URL";
        Some(if is_secret {
            MASK.into()
        } else {
            value.to_owned()
        })
    })
}

fn write(value: impl Fn(&Arg) -> Option<String>) -> String {
    let command = ServeArgs::augment_args(Command::new("serve"));
    let (mut text, mut group) = (HEAD.to_owned(), "");
    for row in command.get_arguments() {
        let heading = row.get_help_heading().unwrap_or_default();
        if heading != group {
            text += &format!("\n# {heading}\n");
        }
        group = heading;
        let help = row.get_help().map(ToString::to_string).unwrap_or_default();
        text += "\n";
        for line in wrapped(&help) {
            text += &format!("# {line}\n");
        }
        text += &match value(row) {
            Some(value) => format!("{}={value}\n", variable(row)),
            None => format!("#{}=\n", variable(row)),
        };
    }
    text
}

fn variable(row: &Arg) -> &str {
    row.get_env().and_then(OsStr::to_str).unwrap_or_default()
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
