//! The text format of Prometheus: families of samples, and the labels of each.

use std::fmt::Write as _;

use jiff::Timestamp;

use crate::histogram::Sample;
use crate::outbox::Tally;
use crate::store::{Attention, Backlog, Channel, ChannelHealth, DeliveryCounts, DeliveryKind};

pub fn family(text: &mut String, kind: &str, name: &str, help: &str, samples: Vec<Sample>) {
    let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    for (labels, value) in samples {
        let _ = writeln!(text, "{name}{labels} {value}");
    }
}

pub fn one(value: impl ToString) -> Vec<Sample> {
    vec![(String::new(), value.to_string())]
}

fn labelled<V: ToString>(
    label: &str,
    values: impl IntoIterator<Item = (&'static str, V)>,
) -> Vec<Sample> {
    let sample = |(word, value): (&str, V)| (format!("{{{label}=\"{word}\"}}"), value.to_string());
    values.into_iter().map(sample).collect()
}

pub fn by_state(counts: DeliveryCounts) -> Vec<Sample> {
    let states = [
        ("pending", counts.pending),
        ("held", counts.held),
        ("delivered", counts.delivered),
        ("given_up", counts.given_up),
    ];
    labelled("state", states)
}

pub fn by_channel<V: ToString>(value: impl Fn(Channel) -> V) -> Vec<Sample> {
    let channels = Channel::ALL.iter();
    labelled(
        "channel",
        channels.map(|channel| (channel.as_str(), value(*channel))),
    )
}

pub fn by_kind<V: ToString>(backlog: &[Backlog], value: impl Fn(&Backlog) -> V) -> Vec<Sample> {
    labelled(
        "kind",
        backlog.iter().map(|each| (each.kind.as_str(), value(each))),
    )
}

/// Seconds; 0 where nothing waits.
pub fn oldest_age(backlog: &[Backlog], now: Timestamp) -> Vec<Sample> {
    by_kind(backlog, |each| {
        let age = each
            .oldest
            .map(|oldest| now.duration_since(oldest).as_secs());
        age.unwrap_or_default().max(0)
    })
}

pub fn attempts(tally: &Tally) -> Vec<Sample> {
    let sample = |(kind, outcome, count): (DeliveryKind, &str, u64)| {
        let labels = format!("{{kind=\"{}\",outcome=\"{outcome}\"}}", kind.as_str());
        (labels, count.to_string())
    };
    tally.counts().map(sample).collect()
}

/// When; 0: it works.
pub fn failing_since(channels: &[ChannelHealth]) -> Vec<Sample> {
    by_channel(|channel| {
        let health = channels.iter().find(|each| each.channel == channel);
        let since = health.and_then(|health| health.failed_at);
        since.map_or(0, Timestamp::as_second)
    })
}

pub fn waiting(attention: &Attention) -> Vec<Sample> {
    let numbers = [
        ("new", attention.fresh),
        ("due", attention.due),
        ("overdue", attention.overdue),
    ];
    labelled("due", numbers)
}
