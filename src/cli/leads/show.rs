//! `frontdoor leads show`

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::ids;
use super::row::LeadJson;
use crate::cli::Failure;
use crate::cli::filter::table_of;
use crate::cli::output::{minute, print, print_json};
use crate::cli::table::{harmless, harmless_line};
use crate::domain::left;
use crate::lead_facts::Fact;
use crate::spam::{self, HOLD_FROM};
use crate::store::{Delivery, DeliveryFilter, Lead, LeadChange, Store};

/// Nobody reads more of them on a page.
const MOST_SHOWN: usize = 1000;

#[derive(Args, Debug)]
pub struct ShowLead {
    /// The lead's id, its last eight characters, or a person's e-mail address for all of
    /// theirs
    #[arg(value_name = "ID|EMAIL")]
    lead: String,

    /// Print JSON: one lead for an id, a list for an address
    #[arg(long)]
    json: bool,
}

/// A lead and what became of it.
struct Whole {
    lead: Lead,
    changes: Vec<LeadChange>,
    deliveries: Vec<Delivery>,
}

#[derive(Serialize)]
struct WholeJson<'a> {
    #[serde(flatten)]
    lead: LeadJson<'a>,
    changes: &'a [LeadChange],
    deliveries: &'a [Delivery],
}

pub async fn run(args: &ShowLead, store: &Store, promise: SignedDuration) -> Result<(), Failure> {
    let by_address = args.lead.contains('@');
    let leads = match by_address {
        true => ids::of_person(&args.lead, MOST_SHOWN, store).await?,
        false => vec![ids::lead(&args.lead, store).await?],
    };
    let mut whole = Vec::new();
    for lead in leads {
        whole.push(Whole {
            changes: store.lead_changes(&lead.id).await?,
            deliveries: deliveries_of(&lead, store).await?,
            lead,
        });
    }
    if whole.is_empty() {
        return Err(ids::unknown(&args.lead));
    }
    if !args.json {
        let pages: Vec<_> = whole.iter().map(|each| each.page(promise)).collect();
        return Ok(print(&pages.join("\n"))?);
    }
    let json: Vec<_> = whole.iter().map(|each| each.json(promise)).collect();
    match by_address {
        true => Ok(print_json(&json)?),
        false => Ok(print_json(&json[0])?),
    }
}

async fn deliveries_of(lead: &Lead, store: &Store) -> Result<Vec<Delivery>, Failure> {
    let filter = DeliveryFilter {
        contact_id: Some(lead.id.clone()),
        limit: MOST_SHOWN,
        ..DeliveryFilter::default()
    };
    Ok(store.deliveries(filter).await?)
}

impl Whole {
    fn json(&self, promise: SignedDuration) -> WholeJson<'_> {
        WholeJson {
            lead: LeadJson::new(&self.lead, promise),
            changes: &self.changes,
            deliveries: &self.deliveries,
        }
    }

    fn page(&self, promise: SignedDuration) -> String {
        let mut page = String::new();
        for (label, value) in self.facts(promise) {
            page.push_str(&format!("{:<15} {}\n", label, harmless_line(&value)));
        }
        page.push_str(&why_spam(&self.lead));
        page.push_str(&format!("\n{}\n", harmless(&self.lead.message)));
        if let Some(note) = &self.lead.note {
            page.push_str(&format!("\nNote: {}\n", harmless(note)));
        }
        if !self.deliveries.is_empty() {
            page.push_str(&format!("\n{}", table_of(&self.deliveries)));
        }
        page
    }

    fn facts(&self, promise: SignedDuration) -> Vec<(String, String)> {
        let facts = self.lead.facts();
        let received = minute(self.lead.created_at);
        let ([held, ..], [state, ..]) = (facts.held, facts.owners);
        let held = self.why_held().map(|why| held.saying(why));
        let lines = facts.typed.into_iter().filter(Fact::is_line);
        let source = facts.source.into_iter();
        let source = source.filter(|fact| fact.value.is_some());
        [facts.id, facts.received.saying(received)]
            .into_iter()
            .chain([state.saying(self.state(promise))])
            .chain(lines)
            .chain([facts.form])
            .chain(held)
            .chain(source)
            .map(|fact| (fact.label.into(), fact.value.unwrap_or("-".into()).into()))
            .collect()
    }

    fn why_held(&self) -> Option<String> {
        let why = self.lead.hold_reason.as_ref()?;
        Some(match self.lead.released_at {
            Some(time) => format!("{why}, released {}", minute(time)),
            None if self.lead.is_held() => format!("{why}, waits for a release"),
            None => format!("{why}, not released"),
        })
    }

    /// What it is, and how it came to be so.
    fn state(&self, promise: SignedDuration) -> String {
        let mut told = self.lead.state.as_str().to_owned();
        if let Some(due) = self.lead.due_at(promise) {
            told += &format!(", due {} ({})", minute(due), left(due, Timestamp::now()));
        }
        for change in &self.changes {
            told += &format!("; {} {}", change.state.as_str(), minute(change.changed_at));
        }
        told
    }
}

/// The score and the reasons for it, a line each.
fn why_spam(lead: &Lead) -> String {
    let reasons = &lead.spam_reasons;
    if reasons.is_empty() {
        return String::new();
    }
    let score = format!("{:.1}, held from {HOLD_FROM:.1} on", spam::sum(reasons));
    let lines = reasons.iter().map(spam::in_words);
    let lines = [score]
        .into_iter()
        .chain(lines)
        .zip(["Spam score"].into_iter().chain(std::iter::repeat("")));
    lines
        .map(|(line, label)| format!("{label:<15} {}\n", harmless_line(&line)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_form_is_shown() {
        let (lead, typed) = Lead::with_every_field();
        let whole = Whole {
            lead,
            changes: Vec::new(),
            deliveries: Vec::new(),
        };
        let promise = SignedDuration::from_hours(24);
        let page = whole.page(promise);
        let json = serde_json::to_value(whole.json(promise)).unwrap();
        for (field, words) in typed {
            assert!(page.contains(&words), "{words} is not in:\n{page}");
            assert_eq!(json[field.name], words);
        }
    }
}
