//! All settings, checked before anything starts. Each is one row in the file
//! of its group.
//!
//! A value comes from a flag, else from the environment, else from the settings
//! file, for the server and for every command alike. An empty value counts as not
//! set: that is what `VARIABLE=` in a service file or a container means to its
//! writer. The first wrong value stops the start with one line that names the
//! setting.

mod alive;
mod backup;
mod chat;
mod database;
mod file;
mod given;
mod log;
mod mail;
mod network;
mod parse;
mod promise;
mod retention;
mod rows;
mod secret;
mod setting;
mod site;
mod smtp;
mod webhook;

use std::path::{Path, PathBuf};

use clap::Args;

pub use alive::{AliveArgs, AliveSettings};
pub use backup::{BackupArgs, BackupSettings};
pub use chat::{ChatArgs, ChatLoad, ChatSettings};
pub use database::{DatabaseArgs, DatabaseSettings};
pub use file::{USUAL_PLACE, read_regular};
pub use given::{Given, Origin, known_names};
pub use log::{LogArgs, LogFormat, LogSettings};
pub use mail::{LeadMailArgs, MailArgs, MailSettings, OutgoingMail};
pub use network::{NetworkArgs, NetworkSettings};
pub use promise::{PromiseArgs, PromiseSettings};
pub use retention::{Period, RetentionArgs, RetentionSettings, SHORTEST_UNCONFIRMED, promised};
pub use rows::{Row, rows};
pub use secret::Secret;
pub use setting::ConfigError;
pub use site::{SiteArgs, SiteSettings};
pub use smtp::{Login, Security, SmtpServer};
pub use webhook::{WebhookArgs, WebhookSecret, WebhookSettings};

use crate::store::DatabaseUrl;

/// Which file the settings are in.
#[derive(Args, Debug, Clone, Default)]
pub struct SettingsFileArgs {
    /// File with settings, a line of `NAME=value` for each, for the server and every
    /// command; the environment and flags win over it
    /// [default: /etc/frontdoor/frontdoor.env where it exists]
    #[arg(
        long = "settings",
        env = "FRONTDOOR_SETTINGS",
        value_name = "FILE",
        help_heading = "Settings",
        global = true
    )]
    settings_file: Option<PathBuf>,
}

impl SettingsFileArgs {
    /// `None`: the usual one, where it exists.
    pub fn path(&self) -> Option<&Path> {
        let path = self.settings_file.as_deref();
        path.filter(|path| !path.as_os_str().is_empty())
    }
}

/// Everything the server can be told, as it was written.
#[derive(Args, Debug, Clone, Default)]
pub struct ServeArgs {
    #[command(flatten)]
    pub network: NetworkArgs,
    #[command(flatten)]
    pub database: DatabaseArgs,
    #[command(flatten)]
    pub site: SiteArgs,
    #[command(flatten)]
    pub backup: BackupArgs,
    #[command(flatten)]
    pub retention: RetentionArgs,
    #[command(flatten)]
    pub promise: PromiseArgs,
    #[command(flatten)]
    pub webhook: WebhookArgs,
    #[command(flatten)]
    pub mail: MailArgs,
    #[command(flatten)]
    pub lead_mail: LeadMailArgs,
    #[command(flatten)]
    pub chat: ChatArgs,
    #[command(flatten)]
    pub alive: AliveArgs,
    #[command(flatten)]
    pub log: LogArgs,
}

/// The same, checked.
#[derive(Debug, Clone)]
pub struct Settings {
    pub network: NetworkSettings,
    pub database: DatabaseUrl,
    pub site: SiteSettings,
    pub backup: Option<BackupSettings>,
    pub retention: RetentionSettings,
    pub promise: PromiseSettings,
    pub webhook: Option<WebhookSettings>,
    pub mail: Option<MailSettings>,
    pub chat: Option<ChatSettings>,
    pub alive: Option<AliveSettings>,
    pub log: LogSettings,
}

impl Settings {
    pub fn load(args: &ServeArgs) -> Result<Self, ConfigError> {
        let database = args.database.database()?;
        Ok(Self {
            network: args.network.load()?,
            site: args.site.load()?,
            backup: BackupSettings::load(&args.backup, &database)?,
            database,
            retention: args.retention.load()?,
            promise: args.promise.load()?,
            webhook: args.webhook.load()?,
            mail: MailSettings::load(&args.mail, &args.lead_mail)?,
            chat: args.chat.load()?,
            alive: args.alive.load()?,
            log: args.log.load()?,
        })
    }
}

#[cfg(test)]
mod tests;
