//! `frontdoor leads note`

use clap::Args;

use super::ids::{lead_id, unknown};
use crate::cli::Failure;
use crate::cli::output::print;
use crate::domain::Note;
use crate::store::Store;

#[derive(Args, Debug)]
pub struct NoteLead {
    /// The lead's id, its last eight characters, or the e-mail address of whoever has
    /// only one lead
    #[arg(value_name = "ID|EMAIL")]
    id: String,

    /// What to keep, in place of an earlier note; empty removes it
    #[arg(value_name = "TEXT", allow_hyphen_values = true)]
    text: String,
}

pub async fn run(args: &NoteLead, store: &Store) -> Result<(), Failure> {
    let note = Note::parse(&args.text).map_err(Failure::Usage)?;
    let id = lead_id(&args.id, store).await?;
    let told = match note {
        Some(_) => "Noted.\n",
        None => "Note removed.\n",
    };
    match store.set_note(&id, note).await? {
        true => Ok(print(told)?),
        false => Err(unknown(&args.id)),
    }
}
