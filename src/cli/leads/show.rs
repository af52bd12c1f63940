//! `frontdoor leads show`

use clap::Args;
use serde::Serialize;

use super::list::LeadJson;
use super::unknown;
use crate::cli::Failure;
use crate::cli::deliveries;
use crate::cli::output::{minute, print, print_json, width};
use crate::cli::table::{harmless, one_line};
use crate::store::{Delivery, DeliveryFilter, Lead, Store};

#[derive(Args, Debug)]
pub struct ShowLead {
    /// The lead's id
    id: String,

    /// Print JSON
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
    let lead = store.lead(&args.id).await?;
    let lead = lead.ok_or_else(|| unknown(&args.id))?;
    let filter = DeliveryFilter {
        contact_id: Some(lead.id.clone()),
        limit: 1000,
        ..DeliveryFilter::default()
    };
    let deliveries = store.deliveries(filter).await?;
    if args.json {
        let whole = WholeJson {
            lead: LeadJson::from(&lead),
            deliveries: &deliveries,
        };
        return Ok(print_json(&whole)?);
    }
    Ok(print(&page(&lead, &deliveries))?)
}

fn page(lead: &Lead, deliveries: &[Delivery]) -> String {
    let mut page = String::new();
    for (label, value) in facts(lead) {
        page.push_str(&format!("{:<15} {}\n", label, one_line(&value)));
    }
    page.push_str(&format!("\n{}\n", harmless(&lead.message)));
    if !deliveries.is_empty() {
        let table = deliveries::table(deliveries, width());
        page.push_str(&format!("\n{table}"));
    }
    page
}

fn facts(lead: &Lead) -> Vec<(String, String)> {
    let mut facts = vec![
        ("Lead".to_owned(), lead.id.clone()),
        (
            "Received".to_owned(),
            format!("{} UTC", minute(lead.created_at)),
        ),
        ("Name".to_owned(), lead.name.clone()),
        ("E-mail".to_owned(), lead.email.clone()),
        ("Phone".to_owned(), lead.phone.clone().unwrap_or("-".into())),
        ("Form".to_owned(), lead.form_location.clone()),
    ];
    if let Some(reason) = &lead.hold_reason {
        let until = match lead.released_at {
            Some(time) => format!("released {} UTC", minute(time)),
            None => "waits for a release".into(),
        };
        facts.push(("Held".to_owned(), format!("{reason}, {until}")));
    }
    for (name, value) in lead.source.known() {
        facts.push((name.replace('_', " "), value.to_owned()));
    }
    facts
}
