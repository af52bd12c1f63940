//! `frontdoor leads list`, `due` and `show`.

use anyhow::Result;
use clap::Args;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;

use super::{find, of_person, unknown};
use crate::cli::deliveries;
use crate::cli::lists::{Columns, ListArgs, Shown, none, table};
use crate::cli::output::{minute, print, print_json, printable, printable_line, span};
use crate::content::site;
use crate::domain::{FormLocation, SearchWords, time_left};
use crate::lead_fields::LeadField;
use crate::spam::{self, HOLD_FROM};
use crate::store::{
    BookedCall, Delivery, DeliveryFilter, Lead, LeadChange, LeadEvent, LeadFilter, LeadState,
    Store, short_id,
};

/// The most leads of a person, and deliveries of a lead, that are shown.
const MAX_SHOWN: usize = 1000;

#[derive(Args, Debug)]
pub struct ListLeads {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only leads in this state: {}", LeadState::choices()))]
    state: Option<LeadState>,

    /// Only leads that are waiting to be released
    #[arg(long)]
    held: bool,

    #[arg(long, value_name = "PAGE",
        help = format!("Only leads from the form on this page: {}", FormLocation::choices()))]
    location: Option<FormLocation>,

    /// Only leads from this source: a campaign's name, its source, or the site that the
    /// visitor came from
    #[arg(long, value_name = "NAME")]
    source: Option<String>,

    /// Only leads with all of these words, or parts of words, in name, e-mail address, phone,
    /// message or note
    #[arg(long, value_name = "WORDS", value_parser = SearchWords::parse)]
    search: Option<SearchWords>,
}

#[derive(Args, Debug)]
pub struct ShowLead {
    /// The lead's id, its last eight characters, or a person's e-mail address for all their leads
    #[arg(value_name = "ID|EMAIL")]
    lead: String,

    /// Print JSON: one lead for an id, a list for an address
    #[arg(long)]
    json: bool,
}

/// A lead as lists and JSON show it.
#[derive(Serialize)]
pub struct LeadRow {
    #[serde(flatten)]
    pub lead: Lead,
    held: bool,
    due_at: Option<Timestamp>,
}

impl LeadRow {
    pub fn new(lead: Lead, promise: SignedDuration) -> Self {
        Self {
            held: lead.is_held,
            due_at: lead.due_at(promise),
            lead,
        }
    }

    fn all(leads: Vec<Lead>, promise: SignedDuration) -> Vec<Self> {
        let leads = leads.into_iter();
        leads.map(|lead| Self::new(lead, promise)).collect()
    }

    /// The state, or why the lead is held, which matters more.
    fn state(&self) -> String {
        match &self.lead.hold_reason {
            Some(why) if self.held => format!("held: {why}"),
            _ => self.lead.state.as_str().into(),
        }
    }

    fn cells(&self, second: String) -> Vec<String> {
        let lead = &self.lead;
        vec![
            short_id(&lead.id).to_owned(),
            second,
            span(lead.created_at, Timestamp::now()),
            lead.name.clone(),
            lead.message.clone(),
            lead.email.clone(),
            minute(lead.created_at),
        ]
    }

    /// The time until the lead is due, or since.
    fn time_left(&self) -> String {
        let due = self.due_at;
        due.map_or(String::new(), |due| time_left(due, Timestamp::now()))
    }
}

const LISTED: Columns<LeadRow> = ("ID, STATE, AGE, NAME, MESSAGE, E-MAIL, RECEIVED", |row| {
    row.cells(row.state())
});
const DUE: Columns<LeadRow> = ("ID, DUE, AGE, NAME, MESSAGE, E-MAIL, RECEIVED", |row| {
    row.cells(row.time_left())
});

pub async fn list(args: &ListLeads, store: &Store, promise: SignedDuration) -> Result<()> {
    let shown = &args.list.shown;
    let filter = LeadFilter {
        since: args.list.since()?,
        held: args.held,
        state: args.state,
        location: args.location,
        source: args.source.clone(),
        search: args.search.clone(),
        limit: shown.limit_and_one(),
        ..LeadFilter::default()
    };
    let rows = LeadRow::all(store.leads(filter).await?, promise);
    shown.show(rows, &LISTED, &none("leads", store))
}

pub async fn due(shown: &Shown, store: &Store, promise: SignedDuration) -> Result<()> {
    let leads = store.waiting_leads(None, shown.limit_and_one()).await?;
    let rows = LeadRow::all(leads, promise);
    shown.show(rows, &DUE, "Nobody is waiting for an answer.")
}

/// A lead and what became of it.
#[derive(Serialize)]
struct LeadDetails {
    #[serde(flatten)]
    row: LeadRow,
    changes: Vec<LeadChange>,
    calls: Vec<BookedCall>,
    deliveries: Vec<Delivery>,
}

pub async fn show(args: &ShowLead, store: &Store, promise: SignedDuration) -> Result<()> {
    let by_address = args.lead.contains('@');
    let leads = if by_address {
        of_person(&args.lead, MAX_SHOWN, store).await?
    } else {
        vec![find(&args.lead, store).await?]
    };
    let mut all = Vec::new();
    for lead in leads {
        let theirs = DeliveryFilter {
            contact_id: Some(lead.id.clone()),
            limit: MAX_SHOWN,
            ..DeliveryFilter::default()
        };
        all.push(LeadDetails {
            changes: store.lead_changes(&lead.id).await?,
            calls: store.calls_of(&[&lead.id]).await?,
            deliveries: store.deliveries(theirs).await?,
            row: LeadRow::new(lead, promise),
        });
    }
    match &all[..] {
        [] => Err(unknown(&args.lead)),
        [one] if args.json && !by_address => print_json(one),
        all if args.json => print_json(&all),
        all => {
            let pages: Vec<_> = all.iter().map(LeadDetails::page).collect();
            print(&pages.join("\n"))
        }
    }
}

impl LeadDetails {
    fn page(&self) -> String {
        let lead = &self.row.lead;
        let mut page: String = self
            .fields()
            .iter()
            .map(|(label, value)| format!("{label:<15} {}\n", printable_line(value)))
            .collect();
        page += &format!("\n{}\n", printable(&lead.message));
        if let Some(note) = &lead.note {
            page += &format!("\nNote: {}\n", printable(note));
        }
        if !self.deliveries.is_empty() {
            page += &format!("\n{}", table(&deliveries::COLUMNS, &self.deliveries));
        }
        page
    }

    fn fields(&self) -> Vec<(String, String)> {
        let lead = &self.row.lead;
        let known = lead.fields();
        let ([held, ..], [state, ..]) = (known.held, known.set_by_owner);
        let held = lead.hold_reason.as_ref().map(|why| {
            held.with_value(match lead.released_at {
                Some(time) => format!("{why}, released {}", minute(time)),
                None if self.row.held => format!("{why}, waiting to be released"),
                None => format!("{why}, not released"),
            })
        });
        let source = known.source.into_iter().filter(|one| one.value.is_some());
        let mut all: Vec<_> = [known.id, known.received.with_value(minute(lead.created_at))]
            .into_iter()
            .chain([state.with_value(self.state())])
            .chain(known.entered.into_iter().filter(LeadField::is_line))
            .chain([known.form])
            .chain(held)
            .chain(source)
            .map(|one| (one.label.into(), one.value.unwrap_or("-".into()).into()))
            .collect();
        let now = Timestamp::now();
        let calls = self.calls.iter();
        all.extend(calls.map(|call| ("Booked".into(), call.in_words(site(), now))));
        let reasons = &lead.spam_reasons;
        if !reasons.is_empty() {
            let score = format!("{:.1}, held from {HOLD_FROM:.1} on", spam::sum(reasons));
            all.push(("Spam score".into(), score));
            all.extend(
                reasons
                    .iter()
                    .map(|why| (String::new(), spam::in_words(why))),
            );
        }
        all
    }

    /// The state, when an answer is due, and every change so far.
    fn state(&self) -> String {
        let mut text = self.row.lead.state.as_str().to_owned();
        if let Some(due) = self.row.due_at {
            text += &format!(", due {} ({})", minute(due), self.row.time_left());
        }
        for change in &self.changes {
            let what = match change.what {
                LeadEvent::State => change.state.as_str(),
                event => event.as_str(),
            };
            let by = change
                .who
                .iter()
                .map(|who| format!(" by {}", printable_line(who)));
            let by: String = by.collect();
            text += &format!("; {what} {}{by}", minute(change.changed_at));
        }
        text
    }
}
