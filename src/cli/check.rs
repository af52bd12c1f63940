//! `frontdoor check`: would `serve` start with these settings?

use anyhow::Context as _;

use super::Failure;
use crate::config::{ServeArgs, Settings};
use crate::store::{OpenMode, Store};

pub fn run(args: &ServeArgs) -> Result<(), Failure> {
    let settings = Settings::load(args)?;
    println!("OK  settings");
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("cannot start")?;
    runtime.block_on(open_store(&settings))?;
    println!("OK  database {:?}", settings.database);
    println!(
        "{}",
        optional(
            "webhook",
            settings.webhook.is_some(),
            "leads are only stored"
        )
    );
    println!(
        "{}",
        optional("mail", settings.mail.is_some(), "no mail is sent")
    );
    println!(
        "{}",
        optional("chat", settings.chat.is_some(), "no chat widget")
    );
    Ok(())
}

async fn open_store(settings: &Settings) -> anyhow::Result<()> {
    let store = Store::open(&settings.database, OpenMode::Create).await?;
    Ok(store.ping().await?)
}

fn optional(name: &str, is_set: bool, otherwise: &str) -> String {
    if is_set {
        format!("OK  {name} is set up")
    } else {
        format!("--  {name} is off: {otherwise}")
    }
}
