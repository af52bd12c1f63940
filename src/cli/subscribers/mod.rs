//! `frontdoor subscribers`: the newsletter's subscribers, and the proof of their consent.

mod import;

use anyhow::{Error, Result, anyhow, bail};
use clap::{Args, Subcommand};
use serde::Serialize;
use serde_json::Value;

use super::csv::{ExportArgs, PAGE};
use super::lists::{Columns, ListArgs, none};
use super::output::{confirm, minute, print, print_json, print_line, printable_line};
use super::{records, releases};
use crate::config::SiteArgs;
use crate::content::site;
use crate::store::{ConsentRecord, Cursor, Store, Subscriber, SubscriberFilter, SubscriberState};

#[derive(Subcommand, Debug)]
pub enum SubscribersCommand {
    /// List subscribers, the newest first
    List(ListSubscribers),
    /// Export subscribers to standard output as CSV, JSON or NDJSON
    Export(ExportSubscribers),
    /// Import subscribers from a CSV file, with the proof of their consent
    Import(import::ImportSubscribers),
    /// Unsuspend a subscriber: the address gets issues again
    Resume {
        /// The subscriber's e-mail address
        email: String,
    },
    /// Delete a subscriber and the proof of their consent for good
    Remove {
        /// The subscriber's e-mail address
        email: String,

        /// Don't ask for confirmation
        #[arg(long)]
        yes: bool,
    },
    /// Show when, where and to which wording a subscriber agreed
    Proof(ShowProof),
}

#[derive(Args, Debug)]
pub struct ListSubscribers {
    #[command(flatten)]
    list: ListArgs,

    #[arg(long, help = format!("Only subscribers in this state: {}", SubscriberState::choices()))]
    state: Option<SubscriberState>,

    /// Only suspended subscribers, whose address the mail server refused, with its code and the day
    #[arg(long)]
    suspended: bool,
}

#[derive(Args, Debug)]
pub struct ExportSubscribers {
    #[command(flatten)]
    export: ExportArgs,

    #[arg(long, help = format!("Only subscribers in this state: {}", SubscriberState::choices()))]
    state: Option<SubscriberState>,
}

#[derive(Args, Debug)]
pub struct ShowProof {
    /// The subscriber's e-mail address
    email: String,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    site: SiteArgs,
}

pub async fn run(command: &SubscribersCommand, store: &Store) -> Result<()> {
    match command {
        SubscribersCommand::List(args) => list(args, store).await,
        SubscribersCommand::Export(args) => export(args, store).await,
        SubscribersCommand::Import(args) => import::run(args, store).await,
        SubscribersCommand::Resume { email } => resume(email, store).await,
        SubscribersCommand::Remove { email, yes } => remove(email, *yes, store).await,
        SubscribersCommand::Proof(args) => proof(args, store).await,
    }
}

/// A subscriber as lists and JSON show it.
#[derive(Serialize)]
struct Row {
    #[serde(flatten)]
    subscriber: Subscriber,
    /// What the owner should know besides the state.
    note: String,
}

impl From<Subscriber> for Row {
    fn from(subscriber: Subscriber) -> Self {
        let refused = subscriber.refused_at.map(|time| site().day(time));
        let refused = refused.unwrap_or_default();
        let code = subscriber.refused_code.as_deref().unwrap_or("no code");
        let is_suspended = subscriber.suspended_at.is_some();
        let note = match (&subscriber.hold_reason, subscriber.state) {
            _ if is_suspended => format!("suspended: refused on {refused} ({code})"),
            (Some(reason), _) => format!("held: {reason}"),
            (None, SubscriberState::Pending) if subscriber.invited_at.is_none() => {
                "unconfirmed: no mail server was set up".into()
            }
            (None, SubscriberState::Pending) => "unconfirmed".into(),
            _ => String::new(),
        };
        Self { subscriber, note }
    }
}

const LISTED: Columns<Row> = (
    "E-MAIL, STATE, NOTE, SUBSCRIBED, CONFIRMED, PAGE",
    |Row { subscriber, note }| {
        let consent = &subscriber.consent;
        vec![
            subscriber.email.clone(),
            subscriber.state.as_str().to_owned(),
            note.clone(),
            minute(consent.created_at),
            consent.confirmed_at.map_or(String::new(), minute),
            consent.page.clone().unwrap_or_default(),
        ]
    },
);

async fn list(args: &ListSubscribers, store: &Store) -> Result<()> {
    let shown = &args.list.shown;
    let filter = SubscriberFilter {
        state: args.state,
        suspended: args.suspended,
        since: args.list.since()?,
        limit: shown.limit_and_one(),
        ..SubscriberFilter::default()
    };
    let found = store.subscribers(filter).await?;
    let found = found.into_iter().map(Row::from).collect();
    shown.show(found, &LISTED, &none("subscribers", store))
}

/// The columns of CSV, named as in JSON.
const EXPORTED: &str = "email, state, created_at, page, consent_version, consent_text, confirmed_at, \
    unsubscribed_at, hold_reason, suspended_at, refused_code, refused_at, import_file, import_source";

async fn export(args: &ExportSubscribers, store: &Store) -> Result<()> {
    let page = async |after| {
        let filter = SubscriberFilter {
            state: args.state,
            after,
            limit: PAGE,
            ..SubscriberFilter::default()
        };
        let found = store.subscribers(filter).await?;
        Ok(found.into_iter().map(Row::from).collect())
    };
    let cursor = |row: &Row| Cursor {
        created_at: row.subscriber.consent.created_at,
        id: row.subscriber.id.clone(),
    };
    let names: Vec<_> = EXPORTED.split(", ").collect();
    let cells = |row: &Row| {
        let json = serde_json::to_value(row).unwrap_or_default();
        let cell = |name: &str| match &json[name] {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        names.iter().copied().map(cell).collect()
    };
    args.export.write(page, cursor, &names, cells).await
}

async fn find(email: &str, store: &Store) -> Result<Subscriber> {
    let found = store.subscriber(email).await?;
    found.ok_or_else(|| unknown(email))
}

fn unknown(email: &str) -> Error {
    let email = printable_line(email);
    anyhow!("{email} isn't a subscriber; `frontdoor subscribers list` shows them")
}

async fn resume(email: &str, store: &Store) -> Result<()> {
    let shown = printable_line(email);
    let subscriber = find(email, store).await?;
    if !store.resume_subscriber(email).await? {
        bail!("{shown} isn't suspended");
    }
    match subscriber.state {
        SubscriberState::Confirmed => print_line!("{shown} gets the next issue again."),
        state => print_line!("{shown} isn't suspended any more, but {}.", state.as_str()),
    }
}

async fn remove(email: &str, yes: bool, store: &Store) -> Result<()> {
    let shown = printable_line(email);
    if store.subscriber(email).await?.is_some() {
        let question = format!("Remove {shown} and the proof of their consent for good?");
        confirm(yes, &question, "nothing was removed")?;
    }
    // Run even if nothing is stored any more: an earlier run may have ended before it
    // overwrote the files.
    let removed = store.remove_subscriber(email).await?;
    let left = records::after_removal(removed.remains, "removed")?;
    match removed.subscribers {
        0 => Err(unknown(email)),
        _ => print_line!("Removed {shown}. {left}"),
    }
}

#[derive(Serialize)]
struct Proof {
    #[serde(flatten)]
    row: Row,
    past_consents: Vec<ConsentRecord>,
}

async fn proof(args: &ShowProof, store: &Store) -> Result<()> {
    releases::require_facts(&args.site.load()?)?;
    let subscriber = find(&args.email, store).await?;
    let proof = Proof {
        past_consents: store.past_consents(&subscriber.id).await?,
        row: subscriber.into(),
    };
    if args.json {
        print_json(&proof)
    } else {
        print(&proof.page())
    }
}

impl Proof {
    fn page(&self) -> String {
        let Row { subscriber, note } = &self.row;
        let mut state = subscriber.state.as_str().to_owned();
        if !note.is_empty() {
            state += &format!(" ({note})");
        }
        let mut page = format!("Proof of consent to the newsletter of {}\n\n", site().name);
        page += &fact("Address", &subscriber.email);
        page += &fact("State", &state);
        page += &consent(&subscriber.consent);
        for record in self.past_consents.iter().rev() {
            page += "\nBefore that\n";
            page += &consent(record);
        }
        page
    }
}

fn consent(record: &ConsentRecord) -> String {
    let facts = record.facts().into_iter();
    facts.map(|(label, value)| fact(label, &value)).collect()
}

fn fact(label: &str, value: &str) -> String {
    format!("{label:<13} {}\n", printable_line(value))
}
