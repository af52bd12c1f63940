//! What was meant by a command that we do not have.
//!
//! The parser of the command line suggests what looks alike, and `release` looks
//! more like `delete` than `forget` does. A tip here is one of the other names
//! that people have for a command, or a slip of the pen.

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};
use clap::{Command, CommandFactory as _};

use super::Cli;

/// Other names, and ours.
const MEANT: &[(&[&str], &str)] = &[
    (&["delete", "remove", "erase", "rm", "purge"], "forget"),
    (
        &["delete", "forget", "erase", "rm", "unsubscribe"],
        "remove",
    ),
    (&["answer", "done", "replied"], "answered"),
    (&["book"], "booked"),
    (&["closed", "archive"], "close"),
    (&["junk", "block"], "spam"),
    (&["open", "unspam", "unclose", "undo", "new"], "reopen"),
    (&["ls", "all", "search", "find"], "list"),
    (&["view", "get", "read"], "show"),
    (&["overdue", "waiting"], "due"),
    (&["comment", "notes"], "note"),
    (&["write", "mail"], "reply"),
    (&["csv", "download"], "export"),
    (&["approve", "unhold"], "release"),
    (&["resend", "again"], "retry"),
    (&["start", "run"], "serve"),
    (&["lead", "contacts", "messages"], "leads"),
];

/// What cannot be undone, or makes something go out: only for the least slip.
const GRAVE: [&str; 10] = [
    "cancel", "forget", "migrate", "move", "prune", "release", "remove", "restore", "retry", "send",
];

/// The same complaint with our tips.
pub fn set_right(mut error: Error) -> Error {
    if error.kind() != ErrorKind::InvalidSubcommand {
        return error;
    }
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    let known = names_beside(word, std::env::args().skip(1));
    let tips: Vec<_> = tips(word, &known).map(str::to_owned).collect();
    error.remove(ContextKind::SuggestedSubcommand);
    if !tips.is_empty() {
        let tips = ContextValue::Strings(tips);
        error.insert(ContextKind::SuggestedSubcommand, tips);
    }
    error
}

/// The commands that could have stood in its place.
fn names_beside(word: &str, arguments: impl Iterator<Item = String>) -> Vec<String> {
    let mut command = Cli::command();
    for argument in arguments.take_while(|argument| argument != word) {
        if let Some(inner) = command.find_subcommand(&argument) {
            command = inner.clone();
        }
    }
    let names = command.get_subcommands().map(Command::get_name);
    names.map(str::to_owned).collect()
}

fn tips<'a>(word: &str, known: &'a [String]) -> impl Iterator<Item = &'a str> {
    let word = word.to_lowercase();
    let is_meant = move |name: &&str| {
        let other_names = MEANT.iter().filter(|(_, ours)| ours == name);
        let is_other_name = other_names
            .flat_map(|(names, _)| *names)
            .any(|one| *one == word);
        let slips = if GRAVE.contains(name) { 1 } else { 2 };
        is_other_name || (word.len() > 2 && distance(&word, name) <= slips)
    };
    known.iter().map(String::as_str).filter(is_meant)
}

/// How many letters were left out, added or changed.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (line, a) in one.chars().enumerate() {
        let mut before = std::mem::replace(&mut row[0], line + 1);
        for (place, b) in other.iter().enumerate() {
            let changed = before + usize::from(a != *b);
            before = row[place + 1];
            row[place + 1] = changed.min(before + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(line: &str) -> String {
        let words: Vec<_> = line.split(' ').collect();
        let (word, before) = words.split_last().unwrap();
        let known = names_beside(word, before.iter().map(|word| (*word).to_owned()));
        tips(word, &known).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn another_name_and_a_slip_lead_to_the_command_and_nothing_leads_to_its_opposite() {
        for (line, tip) in [
            ("leads delete", "forget"),
            ("leads remove", "forget"),
            ("leads answer", "answered"),
            ("leads anwsered", "answered"),
            ("leads closed", "close"),
            ("leads lst", "list"),
            ("leads form", ""),
            ("leads lease", ""),
            ("leads forgot", "forget"),
            ("subscribers delete", "remove"),
            ("deliveries resend", "retry"),
            ("laeds", "leads"),
            ("leds", "leads"),
            ("remove", ""),
            ("x", ""),
        ] {
            assert_eq!(meant(line), tip, "{line}");
        }
    }

    #[test]
    fn every_name_of_ours_is_there() {
        fn names(command: &Command) -> Vec<String> {
            let inner = command.get_subcommands();
            inner
                .flat_map(|inner| {
                    let mut all = names(inner);
                    all.push(inner.get_name().to_owned());
                    all
                })
                .collect()
        }
        let all = names(&Cli::command());
        for (_, ours) in MEANT {
            assert!(all.iter().any(|name| name == ours), "{ours}");
        }
    }
}
