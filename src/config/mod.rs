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

use clap::Args;

pub use groups::{
    AliveArgs, AliveSettings, BackupArgs, BackupSettings, ChatArgs, ChatLoad, ChatSettings,
    DatabaseArgs, DatabaseSettings, LogArgs, LogFormat, LogSettings, MIN_UNCONFIRMED, NetworkArgs,
    NetworkSettings, Period, PromiseArgs, PromiseSettings, RetentionArgs, RetentionSettings,
    SiteArgs, SiteSettings, WebhookArgs, WebhookSecret, WebhookSettings, promised,
};
pub use mail::{Login, MailArgs, MailSettings, Security, SmtpServer};
pub use setting::{ConfigError, Given, Row, Secret, web_url};
pub use sources::read_regular;

use crate::store::DatabaseUrl;

macro_rules! groups {
    ($($group:ident: $args:ident,)+) => {
        /// All settings of the server, as they were written.
        #[derive(Args, Debug, Clone, Default)]
        pub struct ServeArgs {$(
            #[command(flatten)]
            pub $group: $args,
        )+}

        impl ServeArgs {
            /// All settings, in the order of the help.
            pub fn rows(&self) -> Vec<Row> {
                let mut rows = Vec::new();
                $(rows.extend(self.$group.rows());)+
                rows
            }
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
        let settings = Self {
            network: args.network.load()?,
            database: args.database.database()?,
            site: args.site.load()?,
            backup: args.backup.load()?,
            retention: args.retention.load()?,
            promise: args.promise.load()?,
            webhook: args.webhook.load()?,
            mail: args.mail.load()?,
            chat: args.chat.load()?,
            alive: args.alive.load()?,
            log: args.log.load()?,
        };
        match (&settings.database, &settings.backup) {
            (DatabaseUrl::Postgres(_), Some(_)) => Err(ConfigError {
                setting: "FRONTDOOR_BACKUP_DIR",
                problem: "must be empty with PostgreSQL, which is backed up with `pg_dump`".into(),
            }),
            _ => Ok(settings),
        }
    }
}

#[cfg(test)]
mod tests;
