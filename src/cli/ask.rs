//! Asking before something that cannot be undone.

use std::io::{self, IsTerminal as _};

use anyhow::Context as _;

use super::Failure;
use super::output::aside;

/// Before something is removed for good.
pub fn confirm(question: &str) -> Result<(), Failure> {
    confirm_or(question, "nothing was removed")
}

/// On a terminal the owner is asked; elsewhere the answer has to be there
/// already. `otherwise` says what a no means.
pub fn confirm_or(question: &str, otherwise: &str) -> Result<(), Failure> {
    aside(&format!("{question} [y/N] "));
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
        _ => Err(Failure::Failed(otherwise.into())),
    }
}
