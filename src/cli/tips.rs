//! What was meant by a command that we do not have.
//!
//! The parser of the command line suggests what looks alike, and `release` looks
//! more like `delete` than `forget` does. A tip here is one of the other names
//! that people have for a command, or a slip of the pen: what means something,
//! or says the contrary, is none.

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
    (&["install", "configure"], "setup"),
    (&["lead", "contacts", "messages"], "leads"),
    (&["delivery", "webhooks", "queue"], "deliveries"),
    (&["subscriber", "subscriptions"], "subscribers"),
    (&["add", "load", "upload"], "import"),
    (&["unsuspend", "unblock", "reactivate"], "resume"),
    (&["consent", "evidence"], "proof"),
    (&["issue", "issues", "newsletters"], "newsletter"),
    (&["publish", "schedule", "deliver"], "send"),
    (&["view", "show", "open", "look"], "preview"),
    (
        &["stop", "abort", "unschedule", "delete", "remove"],
        "cancel",
    ),
    (&["dump", "snapshot", "save"], "backup"),
    (&["recover", "undump"], "restore"),
    (&["upgrade", "update", "init"], "migrate"),
    (&["status", "doctor", "verify", "health"], "check"),
    (&["cleanup", "clean", "expire"], "prune"),
    (&["whois", "about", "who"], "person"),
    (&["config", "configuration", "options", "env"], "settings"),
    (&["completion", "complete"], "completions"),
    (&["manual", "manpage"], "man"),
];

/// What turns a word into its contrary.
const CONTRARY: [&str; 7] = ["un", "de", "dis", "non", "not-", "no-", "re"];

/// Between these nobody can choose for the owner.
const OPPOSITES: [(&str, &str); 1] = [("import", "export")];

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
    let tips: Vec<_> = tips(word, &known).into_iter().map(str::to_owned).collect();
    error.remove(ContextKind::SuggestedSubcommand);
    if !tips.is_empty() {
        let tips = ContextValue::Strings(tips);
        error.insert(ContextKind::SuggestedSubcommand, tips);
    }
    error
}

/// The setting that was meant by a name that is none: a slip of the pen, or one
/// of which the beginning or the end was left out.
pub fn setting<'a>(name: &str, known: &'a [String]) -> Option<&'a str> {
    const PREFIX: &str = "FRONTDOOR_";
    let name = name.to_uppercase();
    let name = name.strip_prefix(PREFIX).unwrap_or(&name);
    let slips = |known: &str| {
        let known = known.strip_prefix(PREFIX).unwrap_or(known);
        let part = name.len() > 3 && (known.starts_with(name) || known.ends_with(name));
        let slips = distance(name, known);
        // One more in a long name: PROXY for PROXIES.
        let most = 2 + usize::from(name.len() > 9);
        // What was left out is likelier than two slips.
        (part || slips <= most).then_some((!part, slips))
    };
    let near = known
        .iter()
        .filter_map(|known| Some((slips(known)?, known)));
    let nearest = near.min_by_key(|(slips, _)| *slips);
    nearest.map(|(_, known)| known.as_str())
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

fn tips<'a>(word: &str, known: &'a [String]) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let names = || known.iter().map(String::as_str);
    let is_meant = |name: &&str| {
        let mut ours = MEANT.iter().filter(|(_, ours)| ours == name);
        ours.any(|(others, _)| others.contains(&&*word))
    };
    let mut meant: Vec<_> = names().filter(is_meant).collect();
    if meant.is_empty() && word.len() > 2 && !means_something(&word) {
        // Of several, what takes the fewest slips.
        let slips = |name: &&str| slips(&word, name);
        let fewest = names().filter_map(|name| slips(&name)).min();
        meant = names()
            .filter(|name| fewest.is_some() && slips(name) == fewest)
            .collect();
    }
    let is_either = |(one, other)| meant.contains(&one) && meant.contains(&other);
    match OPPOSITES.into_iter().any(is_either) {
        true => Vec::new(),
        false => meant,
    }
}

/// A word that we or others use, for a command that stands elsewhere.
fn means_something(word: &str) -> bool {
    let mut others = MEANT.iter().flat_map(|(names, _)| *names);
    others.any(|other| *other == word) || all_names(&Cli::command()).contains(&word.to_owned())
}

fn all_names(command: &Command) -> Vec<String> {
    let inner = command.get_subcommands();
    let with_inner = |each: &Command| [all_names(each), vec![each.get_name().into()]].concat();
    inner.flat_map(with_inner).collect()
}

/// How many slips lead from the name to the word, if so few can be slips.
fn slips(word: &str, name: &str) -> Option<usize> {
    let most = if GRAVE.contains(&name) { 1 } else { 2 };
    let slips = Some(distance(word, name)).filter(|slips| *slips <= most);
    slips.filter(|_| !is_contrary(word, name) && !is_contrary(name, word))
}

fn is_contrary(word: &str, name: &str) -> bool {
    let rest = CONTRARY
        .iter()
        .filter_map(|before| word.strip_prefix(before));
    rest.into_iter().any(|rest| distance(rest, name) <= 1)
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
        tips(word, &known).join(" ")
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
            ("leads unclose", "reopen"),
            ("leads unanswered", ""),
            ("leads unbooked", ""),
            ("leads import", ""),
            ("leads resume", ""),
            ("leads repoen", "reopen"),
            ("leads exprot", "export"),
            ("subscribers inport", "import"),
            ("subscribers emport", ""),
            ("subscribers unremove", ""),
            ("subscribers suspend", ""),
            ("subscribers unsuspend", "resume"),
            ("subscribers release", ""),
            ("subscribers prof", "proof"),
            ("deliveries release", ""),
            ("deliveries cancel", ""),
            ("deliveries lsit", "list"),
            ("newsletter unsend", ""),
            ("newsletter stop", "cancel"),
            ("newsletter previw", "preview"),
            ("newsletter schedule", "send"),
            ("move-back", ""),
            ("bakcup", "backup"),
            ("restor", "restore"),
            ("undump", "restore"),
            ("completion", "completions"),
        ] {
            assert_eq!(meant(line), tip, "{line}");
        }
    }

    #[test]
    fn a_slip_in_the_name_of_a_setting_leads_to_it() {
        let known = crate::config::known_names();
        for (name, tip) in [
            ("FRONTDOOR_LISTN", Some("FRONTDOOR_LISTEN")),
            ("FRONTDOOR_DATABASE_URL", Some("DATABASE_URL")),
            ("DATABSE_URL", Some("DATABASE_URL")),
            ("FRONTDOOR_WEBHOOK", Some("FRONTDOOR_WEBHOOK_URL")),
            ("FRONTDOOR_SMTP", Some("FRONTDOOR_SMTP_URL")),
            ("FRONTDOOR_PROXIES", Some("FRONTDOOR_TRUSTED_PROXIES")),
            ("frontdoor_log", Some("FRONTDOOR_LOG")),
            ("FRONTDOOR_TRUSTED_PROXY", Some("FRONTDOOR_TRUSTED_PROXIES")),
            ("FRONTDOOR_COLOUR", None),
            ("SSL_CERT_FILE", None),
        ] {
            assert_eq!(setting(name, &known), tip, "{name}");
        }
    }

    #[test]
    fn every_name_of_ours_is_there() {
        let all = all_names(&Cli::command());
        for (_, ours) in MEANT {
            assert!(all.iter().any(|name| name == ours), "{ours}");
        }
    }
}
