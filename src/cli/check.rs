//! `frontdoor check`: would `serve` start with these settings, on what is
//! there? Changes nothing, and creates nothing.

use jiff::Timestamp;

use super::output::{count, print};
use super::{Failure, block_on};
use crate::config::{ServeArgs, Settings};
use crate::store::{OpenMode, Store, StoreError};

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
    if database.is_ok() {
        lines.extend(block_on(attention(&settings))??);
    }
    print(&(lines.join("\n") + "\n"))?;
    Ok(database.map(|_| ())?)
}

/// What waits for the owner. None of it keeps a server from starting.
async fn attention(settings: &Settings) -> Result<Vec<String>, StoreError> {
    let store = Store::open(&settings.database, OpenMode::Existing).await?;
    let found = store.attention(settings.promise.promise, Timestamp::now());
    let (found, channels) = (found.await?, store.channels().await?);
    store.close().await?;
    let overdue = (found.overdue > 0).then(|| {
        let leads = count(found.overdue, "lead is", "leads are");
        format!("!!  {leads} overdue: frontdoor leads due")
    });
    let failing = channels.iter().filter_map(|health| {
        let (name, number) = (health.channel.as_str(), found.failing(health.channel));
        let waiting = count(number, "delivery waits", "deliveries wait");
        let reason = health
            .last_error
            .as_deref()
            .unwrap_or("not every try fails");
        (number > 0).then(|| format!("!!  {name}: {waiting} for another try: {reason}"))
    });
    Ok(overdue.into_iter().chain(failing).collect())
}

fn optional(name: &str, is_set: bool, otherwise: &str) -> String {
    if is_set {
        format!("OK  {name} is set up")
    } else {
        format!("--  {name} is off: {otherwise}")
    }
}
