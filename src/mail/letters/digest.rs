//! The mail that tells the owner once a day what waits and what fails.

use jiff::{SignedDuration, Timestamp};

use super::Letter;
use super::sections::{Section, html, text};
use crate::content::Site;
use crate::domain::{count, left, one_line, span};
use crate::store::{Attention, DeliveryState, Digest, Failing, Lead, SHORT_ID};

const END: &str = "Once a day, and only when there is something to say. \
    FRONTDOOR_DIGEST_HOUR=off ends it.";

pub fn letter(site: &Site, digest: &Digest, promise: SignedDuration, now: Timestamp) -> Letter {
    let sections: Vec<_> = [
        waiting(digest, promise, now),
        held(digest),
        failing(&digest.failing),
        refused(digest),
        backup(digest, now),
    ]
    .into_iter()
    .flatten()
    .collect();
    let subject = format!("{} ({})", headline(digest), site.name);
    Letter::new(site, subject, text(&sections, END), &html(&sections, END))
}

/// What matters most comes first.
fn headline(digest: &Digest) -> String {
    let waiting = numbers(&digest.attention);
    match waiting.is_empty() {
        false => format!("Waiting for you: {waiting}"),
        true if digest.attention.held > 0 => {
            format!("Waiting for you: {} held back", digest.attention.held)
        }
        true if !digest.failing.is_empty() => "Deliveries fail".into(),
        true => "Subscribers' addresses were refused".into(),
    }
}

/// `2 overdue, 1 due, 3 new`
fn numbers(attention: &Attention) -> String {
    let all = [
        (attention.overdue, "overdue"),
        (attention.due, "due"),
        (attention.fresh, "new"),
    ];
    let some = all.iter().filter(|(number, _)| *number > 0);
    let some: Vec<_> = some
        .map(|(number, what)| format!("{number} {what}"))
        .collect();
    some.join(", ")
}

fn waiting(digest: &Digest, promise: SignedDuration, now: Timestamp) -> Option<Section> {
    let numbers = numbers(&digest.attention);
    let line = |lead: &Lead| {
        let start = lead.id.len().saturating_sub(SHORT_ID);
        let id = lead.id.get(start..).unwrap_or(&lead.id);
        let left = lead.due_at(promise).map(|due| left(due, now));
        let (name, left) = (one_line(&lead.name), left.unwrap_or_default());
        format!("{name}: {left} ({id})")
    };
    (!numbers.is_empty()).then(|| Section {
        title: format!("Messages that wait for an answer: {numbers}"),
        lines: digest.waiting.iter().map(line).collect(),
        command: Some("frontdoor leads due"),
    })
}

fn held(digest: &Digest) -> Option<Section> {
    let held = digest.attention.held;
    (held > 0).then(|| Section {
        title: format!("{} held back", count(held, "message is", "messages are")),
        lines: Vec::new(),
        command: Some("frontdoor leads list --held"),
    })
}

/// Also in the mail that tells of a fault.
pub fn failing(failing: &[Failing]) -> Option<Section> {
    let line = |each: &Failing| {
        let (kind, reason) = (each.kind.as_str(), each.reason.as_deref());
        let state = match each.state {
            DeliveryState::GivenUp => "given up",
            _ => "waiting for another try",
        };
        let reason = reason.unwrap_or("no reason is known");
        format!("{} {kind}, {state}: {reason}", each.number)
    };
    (!failing.is_empty()).then(|| Section {
        title: "Deliveries that fail".into(),
        lines: failing.iter().map(line).collect(),
        command: Some("frontdoor deliveries list"),
    })
}

fn refused(digest: &Digest) -> Option<Section> {
    let Digest {
        refused, suspended, ..
    } = *digest;
    let refused_words = count(
        refused,
        "subscriber's address was",
        "subscribers' addresses were",
    );
    (refused > 0).then(|| Section {
        title: format!("{refused_words} refused, {suspended} of them left out from now on"),
        lines: Vec::new(),
        command: Some("frontdoor subscribers list --suspended"),
    })
}

fn backup(digest: &Digest, now: Timestamp) -> Option<Section> {
    let last = digest.last_backup.map(|last| span(last, now));
    let title = match (last, &digest.backup_failure) {
        (None, None) => return None,
        (None, Some(_)) => "There is no backup".to_owned(),
        (Some(last), _) => format!("The last backup is {last} old"),
    };
    let why = digest.backup_failure.iter();
    Some(Section {
        title,
        lines: why
            .map(|why| format!("The daily backup fails: {why}"))
            .collect(),
        command: None,
    })
}

#[cfg(test)]
mod tests {
    use jiff::SignedDuration;

    use super::*;

    #[test]
    fn the_age_of_the_last_backup_is_said_and_why_there_is_no_newer_one() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let said = |last_backup, failure: Option<&str>| {
            let digest = Digest {
                last_backup,
                backup_failure: failure.map(str::to_owned),
                ..Digest::default()
            };
            backup(&digest, now).map(|section| (section.title, section.lines.join("")))
        };
        let last = Some(now - SignedDuration::from_hours(3));
        assert!(said(None, None).is_none());
        assert_eq!(
            said(last, None).unwrap(),
            ("The last backup is 3h old".into(), String::new())
        );
        let (title, why) = said(last, Some("disk full")).unwrap();
        assert_eq!(title, "The last backup is 3h old");
        assert_eq!(why, "The daily backup fails: disk full");
        assert_eq!(
            said(None, Some("disk full")).unwrap().0,
            "There is no backup"
        );
    }
}
