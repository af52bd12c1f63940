//! `frontdoor leads forget`

use clap::Args;

use super::ids;
use crate::cli::Failure;
use crate::cli::ask::confirm;
use crate::cli::output::{count, print};
use crate::cli::remains::after_removal;
use crate::cli::table::harmless_line;
use crate::store::{Forgotten, LeadFilter, Remains, Store};

/// More than one person can have sent; only for the question asked.
const MOST_COUNTED: usize = 10_000;

#[derive(Args, Debug)]
pub struct ForgetPerson {
    /// The person's e-mail address, or the id of one of their leads, or the end
    /// of it
    #[arg(value_name = "EMAIL|ID")]
    person: String,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(args: &ForgetPerson, store: &Store) -> Result<(), Failure> {
    let email = address(&args.person, store).await?;
    let shown = harmless_line(&email);
    let theirs = LeadFilter {
        email: Some(email.clone()),
        limit: MOST_COUNTED,
        ..LeadFilter::default()
    };
    let leads = store.leads(theirs).await?.len() as u64;
    let subscribed = store.subscriber(&email).await?.is_some();
    if (leads > 0 || subscribed) && !args.yes {
        let leads = count(leads, "lead", "leads");
        let also = also_subscription(subscribed);
        confirm(&format!("Remove {leads}{also} of {shown} for good?"))?;
    }
    // Also when nothing is left: an earlier run may not have got as far as
    // overwriting the files.
    let forgotten = store.forget(&email).await?;
    let removed = what(&forgotten);
    if let Remains::InFiles(why) = forgotten.remains {
        return Err(Failure::Failed(format!(
            "removed {removed} of {shown}, but could not overwrite the database's files: {why}; \
            run this again"
        )));
    }
    if forgotten.contacts + forgotten.subscribers == 0 {
        return Err(Failure::Failed(format!("nothing is stored about {shown}")));
    }
    let left = after_removal(&forgotten.remains);
    Ok(print(&format!("Removed {removed} of {shown}. {left}\n"))?)
}

/// What was removed, and nothing that was not.
fn what(forgotten: &Forgotten) -> String {
    let mut parts = Vec::new();
    if forgotten.contacts > 0 || forgotten.subscribers == 0 {
        parts.push(count(forgotten.contacts, "lead", "leads"));
    }
    if forgotten.deliveries > 0 {
        parts.push(count(forgotten.deliveries, "delivery", "deliveries"));
    }
    if forgotten.subscribers > 0 {
        parts.push("the newsletter subscription".into());
    }
    parts.join(" and ")
}

fn also_subscription(subscribed: bool) -> &'static str {
    match subscribed {
        true => " and the newsletter subscription",
        false => "",
    }
}

async fn address(person: &str, store: &Store) -> Result<String, Failure> {
    if person.contains('@') {
        return Ok(person.trim().to_owned());
    }
    Ok(ids::lead(person, store).await?.email)
}
