//! Mails to the owner: new leads, reminders, cancelled calls, held leads, the digest, a failing
//! webhook.

use std::borrow::Cow;

use jiff::{SignedDuration, Timestamp};
use url::Url;

use super::template::{Block, MailText};
use crate::content::Site;
use crate::domain::{count, one_line, short_line, span, time_left};
use crate::lead_fields::LeadField;
use crate::store::{
    Attention, BookedCall, ChannelHealth, DeliveryKind, DeliveryState, Digest, Failing,
    GivenUpIssue, Lead, LeadState, MarkLinkKey, short_id,
};

/// The desk's address and the key of its links, for mails that link to the desk.
pub struct DeskLinks {
    pub desk: Url,
    pub key: MarkLinkKey,
}

impl DeskLinks {
    fn lead_link(&self, label: &'static str, lead: &Lead) -> (Cow<'static, str>, String) {
        (label.into(), format!("{}leads/{}", self.desk, lead.id))
    }

    /// A link to the lead at the desk, and links that mark it without signing in.
    fn lead_links(&self, lead: &Lead) -> Block {
        let mark = |label: &'static str, state| {
            let path = self.key.path(&lead.id, state);
            (label.into(), format!("{}{path}", self.desk))
        };
        Block::Links(vec![
            self.lead_link("Open at the desk", lead),
            mark("I answered by mail", LeadState::Answered),
            mark("Booked", LeadState::Booked),
            mark("Spam", LeadState::Spam),
        ])
    }
}

/// The settings that a mail about a lead depends on.
#[derive(Clone, Copy)]
pub struct LeadMailContext<'a> {
    pub site: &'a Site,
    /// Whether a reply to the mail reaches the visitor.
    pub can_reply: bool,
    pub desk: Option<&'a DeskLinks>,
}

/// A mail about one lead: it is new, its answer is due while there is still time, or its call was
/// cancelled and the visitor waits again.
pub fn about_lead(
    context: LeadMailContext<'_>,
    kind: DeliveryKind,
    lead: &Lead,
    promise: SignedDuration,
    now: Timestamp,
) -> MailText {
    let LeadMailContext {
        site,
        can_reply,
        desk,
    } = context;
    let (name, due) = (one_line(&lead.name), lead.due_at(promise).unwrap_or(now));
    let (left, until, id) = (time_left(due, now), site.minute(due), short_id(&lead.id));
    let (subject, report) = match kind {
        DeliveryKind::ReminderMail => (
            format!("{name} waits for an answer, {left}"),
            Some(format!(
                "You promised an answer by {until} ({left}). Already answered? Mark it: \
                frontdoor leads answered {id}"
            )),
        ),
        DeliveryKind::CallCancelled => (
            format!("The call with {name} was cancelled"),
            Some(format!(
                "The call was cancelled. {name} is waiting for an answer again, due by {until} \
                ({left})."
            )),
        ),
        _ => (format!("New message from {name}"), None),
    };
    let end = match (can_reply, desk) {
        (true, None) => "Reply to this mail to answer the visitor.",
        (true, Some(_)) => {
            "Reply to this mail to answer the visitor. The links below are for you: leave them out \
            of your answer."
        }
        (false, _) => {
            "Write to the visitor's address above; a reply to this mail doesn't go there."
        }
    };
    let fields = lead.fields();
    let lines = fields.entered.into_iter().filter(LeadField::is_line);
    let received = fields.received.with_value(site.minute(lead.created_at));
    let all = lines.chain([fields.form, received]).chain(fields.source);
    let all = all.chain([fields.id]);
    let known = all.filter_map(|field| Some((field.label, one_line(&field.value?))));
    let blocks = [
        Block::Paragraph(lead.message.clone()),
        Block::Fields(known.collect()),
        Block::foot(end),
    ];
    let blocks: Vec<_> = report
        .map(Block::Strong)
        .into_iter()
        .chain(blocks)
        // Below the foot, which mail programs cut off in a reply.
        .chain(desk.map(|desk| desk.lead_links(lead)))
        .collect();
    mail(site, &subject, &blocks)
}

/// Reports held leads with their names and first lines, enough to see which aren't spam. `number`
/// is how many are held, `leads` the latest of them.
pub fn held(site: &Site, leads: &[Lead], number: u64, desk: Option<&DeskLinks>) -> MailText {
    let subject = match number {
        1 => "A message is held back".to_owned(),
        _ => format!("{number} messages are held back"),
    };
    let summary = match (number, leads) {
        (1, [only]) => format!(
            "A message from the contact form is stored but wasn't passed on: {}. \
            If a person wrote it, they're waiting for an answer.",
            only.why_held().unwrap_or_default()
        ),
        _ => format!(
            "{number} messages from the contact form are stored but were not passed on, because \
            they look like spam or automated. Anyone real among them is still waiting for an \
            answer. The latest:"
        ),
    };
    let lead_blocks = |lead: &Lead| {
        let first_line = lead.message.lines().next().and_then(short_line);
        let text = format!(
            "{}\n{}",
            one_line(&lead.name),
            first_line.unwrap_or_default()
        );
        let link = desk.map(|desk| Block::Links(vec![desk.lead_link("Read it at the desk", lead)]));
        [Block::Paragraph(text)].into_iter().chain(link)
    };
    let id = leads.first().map_or("ID", |latest| &latest.id);
    let commands = [
        ("See what is held", "frontdoor leads list --held".to_owned()),
        ("Read the latest", format!("frontdoor leads show {id}")),
        ("Pass it on", format!("frontdoor leads release {id}")),
    ];
    let commands = commands.map(|(label, command)| (label.into(), command));
    let blocks: Vec<_> = [Block::Paragraph(summary)]
        .into_iter()
        .chain(leads.iter().flat_map(lead_blocks))
        .chain([
            Block::Fields(commands.into()),
            Block::foot("At most one such mail an hour."),
        ])
        .collect();
    mail(site, &subject, &blocks)
}

/// The link that signs a browser in to the desk.
pub fn desk_link(site: &Site, link: &str) -> MailText {
    let blocks = [
        Block::Paragraph("Somebody asked for a link to your desk. If it was you:".into()),
        Block::Button {
            url: link.to_owned(),
            label: "Open the desk".into(),
        },
        Block::foot("It works once, within ten minutes. If it wasn't you, do nothing."),
    ];
    mail(site, "Your link to the desk", &blocks)
}

pub fn digest(site: &Site, digest: &Digest, promise: SignedDuration, now: Timestamp) -> MailText {
    let waiting = numbers(&digest.attention);
    let subject = if !waiting.is_empty() {
        format!("Waiting for you: {waiting}")
    } else if digest.attention.held > 0 {
        format!("Waiting for you: {} held back", digest.attention.held)
    } else if !digest.calls.is_empty() {
        calls_today(digest)
    } else if !digest.failing.is_empty() {
        "Deliveries fail".into()
    } else if !digest.issues.is_empty() {
        "An issue of the newsletter was given up".into()
    } else if digest.refused > 0 {
        "Subscribers' addresses were refused".into()
    } else {
        "The daily backup fails".into()
    };
    let end = "Once a day, and only when there is something to say. \
        FRONTDOOR_DIGEST_HOUR=off ends it.";
    let blocks: Vec<_> = [
        calls(site, digest, now),
        waiting_leads(digest, promise, now),
        held_leads(digest),
        failing_deliveries(&digest.failing),
        given_up_issues(&digest.issues),
        refused_subscribers(digest),
        backup(digest, now),
        Some(Block::foot(end)),
    ]
    .into_iter()
    .flatten()
    .collect();
    mail(site, &subject, &blocks)
}

fn calls_today(digest: &Digest) -> String {
    count(digest.calls.len() as u64, "call today", "calls today")
}

fn calls(site: &Site, digest: &Digest, now: Timestamp) -> Option<Block> {
    let line =
        |call: &BookedCall| format!("{}: {}", one_line(&call.name), site.call_time(call.at, now));
    (!digest.calls.is_empty()).then(|| {
        let lines = digest.calls.iter().map(line).collect();
        let command = Some("frontdoor leads list --state booked");
        Block::List(calls_today(digest), lines, command)
    })
}

/// `2 overdue, 1 due, 3 new`
fn numbers(attention: &Attention) -> String {
    let all = [
        (attention.overdue, "overdue"),
        (attention.due, "due"),
        (attention.fresh, "new"),
    ];
    let present = all.iter().filter(|(number, _)| *number > 0);
    let present = present.map(|(number, label)| format!("{number} {label}"));
    present.collect::<Vec<_>>().join(", ")
}

fn waiting_leads(digest: &Digest, promise: SignedDuration, now: Timestamp) -> Option<Block> {
    let numbers = numbers(&digest.attention);
    let line = |lead: &Lead| {
        let left = lead.due_at(promise).map(|due| time_left(due, now));
        let (name, left) = (one_line(&lead.name), left.unwrap_or_default());
        format!("{name}: {left} ({})", short_id(&lead.id))
    };
    (!numbers.is_empty()).then(|| {
        let title = format!("Messages that wait for an answer: {numbers}");
        let lines = digest.waiting.iter().map(line).collect();
        Block::List(title, lines, Some("frontdoor leads due"))
    })
}

fn held_leads(digest: &Digest) -> Option<Block> {
    let held = digest.attention.held;
    let title = format!("{} held back", count(held, "message is", "messages are"));
    (held > 0).then(|| Block::List(title, vec![], Some("frontdoor leads list --held")))
}

fn failing_deliveries(failing: &[Failing]) -> Option<Block> {
    let line = |each: &Failing| {
        let (kind, reason) = (each.kind.as_str(), each.reason.as_deref());
        let state = match each.state {
            DeliveryState::GivenUp => "given up",
            _ => "waiting for another try",
        };
        let reason = reason.unwrap_or("no reason is known");
        format!("{} {kind}, {state}: {reason}", each.number)
    };
    (!failing.is_empty()).then(|| {
        let (title, lines) = ("Deliveries that fail", failing.iter().map(line).collect());
        Block::List(title.into(), lines, Some("frontdoor deliveries list"))
    })
}

fn given_up_issues(issues: &[GivenUpIssue]) -> Option<Block> {
    let line = |each: &GivenUpIssue| format!("{}: {}", one_line(&each.subject), each.reason);
    (!issues.is_empty()).then(|| {
        let title = "Issues of the newsletter that were given up before everybody had them";
        let lines = issues.iter().map(line).collect();
        Block::List(title.into(), lines, Some("frontdoor newsletter list"))
    })
}

fn refused_subscribers(digest: &Digest) -> Option<Block> {
    let (one, many) = ("subscriber's address was", "subscribers' addresses were");
    let (refused, suspended) = (count(digest.refused, one, many), digest.suspended);
    let title = format!("{refused} refused, {suspended} of them left out from now on");
    let command = Some("frontdoor subscribers list --suspended");
    (digest.refused > 0).then(|| Block::List(title, vec![], command))
}

fn backup(digest: &Digest, now: Timestamp) -> Option<Block> {
    let last = digest.last_backup.map(|last| span(last, now));
    let title = match (last, &digest.backup_failure) {
        (None, None) => return None,
        (None, Some(_)) => "There is no backup".to_owned(),
        (Some(last), _) => format!("The last backup is {last} old"),
    };
    let failure = digest.backup_failure.iter();
    let lines = failure.map(|failure| format!("The daily backup fails: {failure}"));
    Some(Block::List(title, lines.collect(), None))
}

/// Reports that the webhook fails. `failing` lists its deliveries that wait or were given up.
pub fn webhook_fails(site: &Site, webhook: &ChannelHealth, failing: &[Failing]) -> MailText {
    let subject = match webhook.failed_at {
        Some(_) => "The webhook accepts nothing",
        None => "Deliveries to the webhook were given up",
    };
    let since = webhook.failed_at.map(|since| {
        let reason = webhook.last_error.as_deref();
        Block::Strong(format!(
            "Since {} the webhook has accepted nothing: {}",
            site.minute(since),
            reason.unwrap_or("no reason is known")
        ))
    });
    let remedy = Block::List(
        "Once it's fixed, send what waits again".into(),
        vec![],
        Some("frontdoor deliveries retry --all"),
    );
    let footer = "You get at most one such mail an hour. Leads are stored in any case, and \
        deliveries are retried for about three days.";
    let blocks: Vec<_> = since
        .into_iter()
        .chain(failing_deliveries(failing))
        .chain([remedy, Block::foot(footer)])
        .collect();
    mail(site, subject, &blocks)
}

fn mail(site: &Site, subject: &str, blocks: &[Block]) -> MailText {
    // A sender's text that looks like an encoded word would be decoded by mail programs.
    let subject = subject.replace("=?", "= ?");
    MailText::new(site, format!("{subject} ({})", site.name), blocks)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    #[test]
    fn the_digest_tells_the_age_of_the_last_backup_and_why_there_is_no_newer_one() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let last = Some(now - SignedDuration::from_hours(3));
        for (last_backup, failure, expected) in [
            (None, None, None),
            (last, None, Some("The last backup is 3h old")),
            (
                last,
                Some("disk full"),
                Some("The last backup is 3h old\n  - The daily backup fails: disk full"),
            ),
            (
                None,
                Some("disk full"),
                Some("There is no backup\n  - The daily backup fails: disk full"),
            ),
        ] {
            let found = Digest {
                last_backup,
                backup_failure: failure.map(str::to_owned),
                ..Digest::default()
            };
            let text = digest(site(), &found, SignedDuration::ZERO, now).text;
            let report = text.split_once("\n\n-- \n").map(|(report, _)| report);
            assert_eq!(report, expected, "{text}");
        }
    }
}
