//! `frontdoor leads forget`

use std::io::{self, IsTerminal as _, Write as _};

use anyhow::Context as _;
use clap::Args;

use super::unknown;
use crate::cli::Failure;
use crate::cli::output::{count, print};
use crate::cli::table::one_line;
use crate::store::{LeadFilter, Store};

/// More than one person can have sent; only for the question asked.
const MOST_COUNTED: usize = 10_000;

#[derive(Args, Debug)]
pub struct ForgetPerson {
    /// The person's e-mail address, or the id of one of their leads
    #[arg(value_name = "EMAIL|ID")]
    person: String,

    /// Do not ask
    #[arg(long)]
    yes: bool,
}

pub async fn run(args: &ForgetPerson, store: &Store) -> Result<(), Failure> {
    let email = address(&args.person, store).await?;
    let shown = one_line(&email);
    let theirs = LeadFilter {
        email: Some(email.clone()),
        limit: MOST_COUNTED,
        ..LeadFilter::default()
    };
    let leads = store.leads(theirs).await?.len() as u64;
    if leads > 0 && !args.yes {
        confirm(&format!(
            "Remove {} of {shown} for good?",
            count(leads, "lead", "leads")
        ))?;
    }
    // Also when nothing is left: an earlier run may not have got as far as
    // overwriting the files.
    let forgotten = store.forget(&email).await?;
    if !forgotten.scrubbed {
        return Err(Failure::Failed(format!(
            "{} removed, but the database was too busy to overwrite its files: run this again",
            count(forgotten.contacts, "lead", "leads")
        )));
    }
    if forgotten.contacts == 0 {
        return Err(Failure::Failed(format!("nothing is stored about {shown}")));
    }
    Ok(print(&format!(
        "Removed {} and {} of {shown}. Backups made earlier still hold them.\n",
        count(forgotten.contacts, "lead", "leads"),
        count(forgotten.deliveries, "delivery", "deliveries"),
    ))?)
}

async fn address(person: &str, store: &Store) -> Result<String, Failure> {
    if person.contains('@') {
        return Ok(person.trim().to_owned());
    }
    let lead = store.lead(person).await?;
    Ok(lead.ok_or_else(|| unknown(person))?.email)
}

fn confirm(question: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        let line = format!("{question} Add --yes: there is no terminal to ask on");
        return Err(Failure::Usage(line));
    }
    eprint!("{question} [y/N] ");
    io::stderr().flush().context("cannot ask")?;
    let mut answer = String::new();
    io::stdin()
        .read_line(&mut answer)
        .context("cannot read the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        _ => Err(Failure::Failed("nothing was removed".into())),
    }
}
