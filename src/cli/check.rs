//! `frontdoor check`: would `serve` start with these settings, on what is
//! there? Changes nothing, and creates nothing.

use super::output::print;
use super::{Failure, block_on};
use crate::config::{ServeArgs, Settings};
use crate::store::Store;

pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let settings = Settings::load(args)?;
    let database = block_on(Store::check(&settings.database))?;
    let url = &settings.database;
    let mut lines = vec!["OK  settings".to_owned()];
    match &database {
        Ok(true) => lines.push(format!("OK  database {url:?}")),
        Ok(false) => lines.push(format!("OK  database {url:?}, too large to be read whole")),
        Err(_) => lines.push(format!("NO  database {url:?}")),
    }
    lines.extend([
        optional(
            "webhook",
            settings.webhook.is_some(),
            "leads are only stored",
        ),
        optional("mail", settings.mail.is_some(), "no mail is sent"),
        optional("chat", settings.chat.is_some(), "no chat widget"),
    ]);
    print(&(lines.join("\n") + "\n"))?;
    Ok(database.map(|_| ())?)
}

fn optional(name: &str, is_set: bool, otherwise: &str) -> String {
    if is_set {
        format!("OK  {name} is set up")
    } else {
        format!("--  {name} is off: {otherwise}")
    }
}
