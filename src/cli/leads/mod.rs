//! `frontdoor leads`: what visitors wrote, and what became of it.

mod list;
mod transfer;

use anyhow::{Error, Result, anyhow, bail};
use clap::{Args, Subcommand};
use jiff::SignedDuration;

use super::lists::Shown;
use super::output::{confirm, count, eprint_line, print, print_line, printable, printable_line};
use super::{UsageError, records, releases};
use crate::config::SiteArgs;
use crate::content;
use crate::domain::Note;
use crate::mail::to_visitors::reply_subject;
use crate::store::{
    ActionOutcome, Lead, LeadAction, LeadFilter, LeadState, SHORT_ID, Store, short_id,
};

/// How far a person's leads are counted for the question before a removal.
const MAX_COUNTED: usize = 10_000;
/// How many of a person's leads an error message lists.
const MAX_NAMED: usize = 8;

#[derive(Subcommand, Debug)]
pub enum LeadsCommand {
    /// List leads, the newest first
    List(list::ListLeads),
    /// Show one lead, or all of a person's leads, with messages and deliveries
    Show(list::ShowLead),
    /// List leads that are waiting for an answer, the overdue first
    Due(Shown),
    /// Mark leads as answered
    Answered(LeadIds),
    /// Mark leads as booked: a call was booked
    Booked(LeadIds),
    /// Mark leads as closed: nothing is left to do
    Close(LeadIds),
    /// Mark leads as spam: nothing more about them is passed on
    Spam(LeadIds),
    /// Reopen leads: they are waiting for an answer again
    Reopen(LeadIds),
    /// Add a private note to a lead
    Note {
        #[command(flatten)]
        lead: LeadId,

        /// The note, which replaces an earlier one; an empty note removes it
        #[arg(value_name = "TEXT", allow_hyphen_values = true)]
        text: String,
    },
    /// Print a reply to the visitor, with the message quoted, for you to finish and send
    Reply {
        #[command(flatten)]
        lead: LeadId,

        #[command(flatten)]
        site: SiteArgs,
    },
    /// Release held leads: they are sent to the webhook and by mail
    Release(LeadIds),
    /// Export leads to standard output as CSV, JSON or NDJSON
    Export(transfer::ExportLeads),
    /// Import leads from a CSV file, as closed: nothing is sent about them
    Import(transfer::ImportLeads),
    /// Delete everything about a person for good
    Forget {
        /// The person's e-mail address, or the id of one of their leads or its last eight
        /// characters
        #[arg(value_name = "EMAIL|ID")]
        person: String,

        /// Don't ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

#[derive(Args, Debug)]
pub struct LeadId {
    /// The lead's id, its last eight characters, or the e-mail address of a person
    /// with only one lead
    #[arg(value_name = "ID|EMAIL")]
    id: String,
}

#[derive(Args, Debug)]
pub struct LeadIds {
    /// The leads' ids, their last eight characters, or the e-mail addresses of people with
    /// only one lead
    #[arg(required = true, value_name = "ID|EMAIL")]
    ids: Vec<String>,
}

/// `promise` is the time within which visitors are promised an answer.
pub async fn run(command: &LeadsCommand, store: &Store, promise: SignedDuration) -> Result<()> {
    let set = async |leads: &LeadIds, state| {
        change_each(leads, store, async |id| set_state(id, state, store).await).await
    };
    match command {
        LeadsCommand::List(args) => list::list(args, store, promise).await,
        LeadsCommand::Show(args) => list::show(args, store, promise).await,
        LeadsCommand::Due(shown) => list::due(shown, store, promise).await,
        LeadsCommand::Answered(leads) => set(leads, LeadState::Answered).await,
        LeadsCommand::Booked(leads) => set(leads, LeadState::Booked).await,
        LeadsCommand::Close(leads) => set(leads, LeadState::Closed).await,
        LeadsCommand::Spam(leads) => set(leads, LeadState::Spam).await,
        LeadsCommand::Reopen(leads) => set(leads, LeadState::New).await,
        LeadsCommand::Note { lead, text } => note(&lead.id, text, store).await,
        LeadsCommand::Reply { lead, site } => reply(&lead.id, site, store).await,
        LeadsCommand::Release(leads) => {
            change_each(leads, store, async |id| release(id, store).await).await
        }
        LeadsCommand::Export(args) => transfer::export(args, store, promise).await,
        LeadsCommand::Import(args) => transfer::import(args, store).await,
        LeadsCommand::Forget { person, yes } => forget(person, *yes, store).await,
    }
}

/// Finds a lead by its id or the end of its id, or the only lead of an address.
pub async fn find(text: &str, store: &Store) -> Result<Lead> {
    if let Some(lead) = store.lead(text).await? {
        return Ok(lead);
    }
    let mut found = if text.contains('@') {
        of_person(text, MAX_NAMED, store).await?
    } else {
        ending(&text.to_lowercase(), store).await?
    };
    match found.len() {
        0 => Err(unknown(text)),
        1 => Ok(found.remove(0)),
        _ => {
            let name = |lead: &Lead| format!("{} ({})", lead.id, lead.state.as_str());
            let named: Vec<_> = found.iter().map(name).collect();
            let (text, named) = (printable_line(text), named.join(", "));
            bail!("{text} matches several leads, such as {named}; use a full id")
        }
    }
}

async fn ending(end: &str, store: &Store) -> Result<Vec<Lead>> {
    let mut leads = Vec::new();
    if end.len() >= SHORT_ID {
        for id in store.lead_ids_ending(end).await? {
            leads.extend(store.lead(&id).await?);
        }
    }
    Ok(leads)
}

/// A person's leads, the newest first.
async fn of_person(email: &str, limit: usize, store: &Store) -> Result<Vec<Lead>> {
    let filter = LeadFilter {
        email: Some(email.trim().to_owned()),
        limit,
        ..LeadFilter::default()
    };
    Ok(store.leads(filter).await?)
}

fn unknown(text: &str) -> Error {
    let (owner, hint) = match text {
        address if address.contains('@') => ("of ", ""),
        short if short.len() < SHORT_ID => ("", "an id needs its last eight characters; "),
        _ => ("", ""),
    };
    let text = printable_line(text);
    anyhow!("there is no lead {owner}{text} ({hint}see `frontdoor leads list`)")
}

/// Changes several leads and prints what `change` returns. If some can't be changed, the
/// others still are.
async fn change_each(
    leads: &LeadIds,
    store: &Store,
    change: impl AsyncFn(&str) -> Result<String>,
) -> Result<()> {
    let mut wrong = Vec::new();
    for text in &leads.ids {
        let changed = async { change(&find(text, store).await?.id).await };
        match changed.await {
            Ok(line) => print_line!("{line}")?,
            Err(why) => wrong.push(format!("{why:#}")),
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        bail!(wrong.join("; "))
    }
}

async fn set_state(id: &str, state: LeadState, store: &Store) -> Result<String> {
    let (shown, name) = (short_id(id), state.as_str());
    let mark = LeadAction::Mark(state);
    match store.act_on_lead(id, mark, None, store.now()).await? {
        ActionOutcome::Done(changed) => {
            let kept_back = deliveries(changed.kept_back, "kept back");
            let sent_on = deliveries(changed.sent_on, "on the way");
            let before = changed.from.as_str();
            Ok(format!(
                "{shown} is {name}, was {before}{kept_back}{sent_on}"
            ))
        }
        ActionOutcome::Already => Ok(format!("{shown} is already {name}")),
        ActionOutcome::IsSpam | ActionOutcome::UnknownLead => Err(unknown(id)),
    }
}

async fn release(id: &str, store: &Store) -> Result<String> {
    let action = LeadAction::Release;
    match store.act_on_lead(id, action, None, store.now()).await? {
        ActionOutcome::Done(changed) => {
            let sent_on = deliveries(changed.sent_on, "on the way");
            Ok(format!("Released {id}{sent_on}"))
        }
        ActionOutcome::Already => Ok(format!("{id} isn't held")),
        ActionOutcome::IsSpam => bail!("{id} is spam: `frontdoor leads reopen {id}` first"),
        ActionOutcome::UnknownLead => Err(unknown(id)),
    }
}

fn deliveries(number: u64, what: &str) -> String {
    match number {
        0 => String::new(),
        number => format!(": {} {what}", count(number, "delivery", "deliveries")),
    }
}

async fn note(id: &str, text: &str, store: &Store) -> Result<()> {
    let note = Note::parse(text).map_err(UsageError)?;
    let done = match note {
        Some(_) => "Noted.",
        None => "Note removed.",
    };
    let lead = find(id, store).await?;
    let (action, now) = (LeadAction::Note(note), store.now());
    match store.act_on_lead(&lead.id, action, None, now).await? {
        ActionOutcome::UnknownLead => Err(unknown(id)),
        _ => print_line!("{done}"),
    }
}

async fn reply(id: &str, site: &SiteArgs, store: &Store) -> Result<()> {
    releases::require_facts(&site.load()?)?;
    let lead = find(id, store).await?;
    let (name, email) = (printable_line(&lead.name), printable_line(&lead.email));
    let site = content::site();
    print(&format!(
        "To: {name} <{email}>\nSubject: {subject}\n\n\
        Hello {name},\n\n\n\n{talk}\n{booking}\n\n\
        -- \n{site}\n{contact}\n\n{quoted}\n",
        subject = reply_subject(site, false),
        talk = content::mails().auto_reply.talk,
        booking = lead.booking_link(site),
        contact = site.contact_line(),
        quoted = printable(&lead.quoted(site)),
        site = site.name,
    ))?;
    eprint_line!(
        "Once you've sent it: frontdoor leads answered {}",
        short_id(&lead.id)
    );
    Ok(())
}

async fn forget(person: &str, yes: bool, store: &Store) -> Result<()> {
    let email = if person.contains('@') {
        person.trim().to_owned()
    } else {
        find(person, store).await?.email
    };
    let shown = printable_line(&email);
    let leads = of_person(&email, MAX_COUNTED, store).await?.len() as u64;
    let is_subscriber = store.subscriber(&email).await?.is_some();
    if leads > 0 || is_subscriber {
        let records = name_records(leads, 0, is_subscriber);
        let question = format!("Remove {records} of {shown} for good?");
        confirm(yes, &question, "nothing was removed")?;
    }
    // Run even if nothing is stored any more: an earlier run may have ended before it
    // overwrote the files.
    let gone = store.forget(&email).await?;
    let removed = name_records(gone.contacts, gone.deliveries, gone.subscribers > 0);
    let left = records::after_removal(gone.remains, &format!("removed {removed} of {shown}"))?;
    match gone.contacts + gone.subscribers {
        0 => bail!("nothing is stored about {shown}"),
        _ => print_line!("Removed {removed} of {shown}. {left}"),
    }
}

/// Names only the records that exist.
fn name_records(leads: u64, deliveries: u64, is_subscriber: bool) -> String {
    let mut parts = Vec::new();
    if leads > 0 || !is_subscriber {
        parts.push(count(leads, "lead", "leads"));
    }
    if deliveries > 0 {
        parts.push(count(deliveries, "delivery", "deliveries"));
    }
    if is_subscriber {
        parts.push("the newsletter subscription".into());
    }
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => parts.join(""),
    }
}
