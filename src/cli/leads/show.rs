//! `frontdoor leads show`

use clap::Args;
use serde::Serialize;

use super::list::LeadJson;
use super::unknown;
use crate::cli::Failure;
use crate::cli::filter::table_of;
use crate::cli::output::{minute, print, print_json};
use crate::cli::table::{harmless, harmless_line};
use crate::spam::{self, HOLD_FROM};
use crate::store::{Delivery, DeliveryFilter, Fact, Lead, LeadFilter, Store};

/// Nobody reads more of them on a page.
const MOST_SHOWN: usize = 1000;

#[derive(Args, Debug)]
pub struct ShowLead {
    /// The lead's id, or a person's e-mail address for all of theirs
    #[arg(value_name = "ID|EMAIL")]
    lead: String,

    /// Print JSON: one lead for an id, a list for an address
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct WholeJson<'a> {
    #[serde(flatten)]
    lead: LeadJson<'a>,
    deliveries: &'a [Delivery],
}

pub async fn run(args: &ShowLead, store: &Store) -> Result<(), Failure> {
    let by_address = args.lead.contains('@');
    let leads = match by_address {
        true => of_person(&args.lead, store).await?,
        false => store.lead(&args.lead).await?.into_iter().collect(),
    };
    let mut whole = Vec::new();
    for lead in leads {
        let deliveries = deliveries_of(&lead, store).await?;
        whole.push((lead, deliveries));
    }
    if whole.is_empty() {
        return Err(unknown(&args.lead));
    }
    if !args.json {
        let pages: Vec<_> = whole.iter().map(|(lead, sent)| page(lead, sent)).collect();
        return Ok(print(&pages.join("\n"))?);
    }
    let json: Vec<_> = whole.iter().map(|(lead, sent)| json(lead, sent)).collect();
    match by_address {
        true => Ok(print_json(&json)?),
        false => Ok(print_json(&json[0])?),
    }
}

async fn of_person(email: &str, store: &Store) -> Result<Vec<Lead>, Failure> {
    let filter = LeadFilter {
        email: Some(email.to_owned()),
        limit: MOST_SHOWN,
        ..LeadFilter::default()
    };
    Ok(store.leads(filter).await?)
}

async fn deliveries_of(lead: &Lead, store: &Store) -> Result<Vec<Delivery>, Failure> {
    let filter = DeliveryFilter {
        contact_id: Some(lead.id.clone()),
        limit: MOST_SHOWN,
        ..DeliveryFilter::default()
    };
    Ok(store.deliveries(filter).await?)
}

fn json<'a>(lead: &'a Lead, deliveries: &'a [Delivery]) -> WholeJson<'a> {
    WholeJson {
        lead: LeadJson::from(lead),
        deliveries,
    }
}

fn page(lead: &Lead, deliveries: &[Delivery]) -> String {
    let mut page = String::new();
    for (label, value) in facts(lead) {
        page.push_str(&format!("{:<15} {}\n", label, harmless_line(&value)));
    }
    page.push_str(&why_spam(lead));
    page.push_str(&format!("\n{}\n", harmless(&lead.message)));
    if !deliveries.is_empty() {
        page.push_str(&format!("\n{}", table_of(deliveries)));
    }
    page
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

fn facts(lead: &Lead) -> Vec<(String, String)> {
    let facts = lead.facts();
    let received = format!("{} UTC", minute(lead.created_at));
    let [held, _, _] = facts.held;
    let held = lead.hold_reason.as_ref().map(|why| {
        let until = match lead.released_at {
            Some(time) => format!("released {} UTC", minute(time)),
            None => "waits for a release".into(),
        };
        held.saying(format!("{why}, {until}"))
    });
    let lines = facts.typed.into_iter().filter(Fact::is_line);
    let source = facts.source.into_iter();
    let source = source.filter(|fact| fact.value.is_some());
    [facts.id, facts.received.saying(received)]
        .into_iter()
        .chain(lines)
        .chain([facts.form])
        .chain(held)
        .chain(source)
        .map(|fact| (fact.label.into(), fact.value.unwrap_or("-".into()).into()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_of_the_form_is_shown() {
        let (lead, typed) = Lead::with_every_field();
        let (page, json) = (
            page(&lead, &[]),
            serde_json::to_value(json(&lead, &[])).unwrap(),
        );
        for (field, words) in typed {
            assert!(page.contains(&words), "{words} is not in:\n{page}");
            assert_eq!(json[field.name], words);
        }
    }
}
