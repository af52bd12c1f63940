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

/// On a terminal the owner is asked; elsewhere the answer has to be there
/// already.
fn confirm(question: &str) -> Result<(), Failure> {
    eprint!("{question} [y/N] ");
    io::stderr().flush().context("cannot ask")?;
    let mut answer = String::new();
    let input = io::stdin();
    input
        .read_line(&mut answer)
        .context("cannot read the answer")?;
    match answer.trim().to_lowercase().as_str() {
        "y" | "yes" => Ok(()),
        "" if !input.is_terminal() => {
            Err(Failure::Usage("add --yes: nobody is here to ask".into()))
        }
        _ => Err(Failure::Failed("nothing was removed".into())),
    }
}
