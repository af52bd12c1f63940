//! All settings, checked before anything starts. Each is declared once, as a row of its
//! group.
//!
//! A value comes from a flag, else from the environment, else from the settings file, for
//! the server and for every command alike. An empty value counts as not set: that is what
//! `VARIABLE=` in a service file or a container means to its writer. The first wrong value
//! stops the start with one line that names the setting.

mod groups;
mod mail;
mod setting;
mod sources;

use std::path::{Path, PathBuf};

use clap::Args;

pub use groups::{
    AliveArgs, AliveSettings, BackupArgs, BackupSettings, ChatArgs, ChatLoad, ChatSettings,
    DatabaseArgs, DatabaseSettings, LogArgs, LogFormat, LogSettings, NetworkArgs, NetworkSettings,
    Period, PromiseArgs, PromiseSettings, RetentionArgs, RetentionSettings, SHORTEST_UNCONFIRMED,
    SiteArgs, SiteSettings, WebhookArgs, WebhookSecret, WebhookSettings, promised,
};
pub use mail::{Login, MailArgs, MailSettings, Security, SmtpServer};
pub use setting::{ConfigError, Row, Secret};
pub use sources::{Given, Origin, USUAL_PLACE, known_names, read_regular};

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

macro_rules! groups {
    ($($group:ident: $args:ident,)+) => {
        /// Everything the server can be told, as it was written.
        #[derive(Args, Debug, Clone, Default)]
        pub struct ServeArgs {$(
            #[command(flatten)]
            pub $group: $args,
        )+}

        /// All settings, in the order of the help.
        pub fn rows() -> Vec<Row> {
            [$($args::rows()),+].concat()
        }
    };
}

groups! {
    network: NetworkArgs,
    database: DatabaseArgs,
    site: SiteArgs,
    backup: BackupArgs,
    retention: RetentionArgs,
    promise: PromiseArgs,
    webhook: WebhookArgs,
    mail: MailArgs,
    chat: ChatArgs,
    alive: AliveArgs,
    log: LogArgs,
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
            mail: args.mail.load()?,
            chat: args.chat.load()?,
            alive: args.alive.load()?,
            log: args.log.load()?,
        })
    }
}

#[cfg(test)]
mod tests;
