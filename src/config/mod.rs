//! All settings, checked before anything starts. Each setting is declared once, in its group.
//!
//! The server and every command take a value from the flag, else from the environment, else
//! from the settings file. An empty value counts as not set, because that is what people mean
//! by `VARIABLE=` in a service file or a container. The first wrong value stops the start with
//! one line that names the setting.

mod groups;
mod mail;
mod setting;
mod sources;

use clap::Args;

pub use groups::*;
pub use mail::*;
pub use setting::{
    ConfigError, DeclaredSetting, EffectiveSetting, ExternalSettings, MASK, Secret, web_url,
};
pub use sources::read_regular;

use crate::store::DatabaseUrl;

macro_rules! groups {
    ($($group:ident: $args:ident => $checked:ty,)+) => {
        /// All settings of the server, as typed.
        #[derive(Args, Debug, Clone, Default)]
        pub struct ServeArgs {$(
            #[command(flatten)]
            pub $group: $args,
        )+}

        impl ServeArgs {
            /// In the order of the help.
            pub fn rows(&self) -> Vec<DeclaredSetting> {
                [$(self.$group.rows()),+].into_iter().flatten().collect()
            }
        }

        /// All settings of the server, checked.
        #[derive(Debug, Clone)]
        pub struct Settings {
            $(pub $group: $checked,)+
            /// All settings as they may be shown to the owner.
            pub effective: Vec<EffectiveSetting>,
        }

        impl Settings {
            fn check_each(args: &ServeArgs) -> Result<Self, ConfigError> {
                Ok(Self {
                    $($group: args.$group.load()?.into(),)+
                    effective: args.rows().into_iter().map(EffectiveSetting::from).collect(),
                })
            }
        }
    };
}

groups! {
    network: NetworkArgs => NetworkSettings,
    desk: DeskArgs => DeskSettings,
    database: DatabaseArgs => DatabaseUrl,
    site: SiteArgs => SiteSettings,
    visits: VisitsArgs => VisitsSettings,
    backup: BackupArgs => Option<BackupSettings>,
    retention: RetentionArgs => RetentionSettings,
    promise: PromiseArgs => PromiseSettings,
    webhook: WebhookArgs => Option<WebhookSettings>,
    mail: MailArgs => Option<MailSettings>,
    bookings: BookingArgs => BookingSettings,
    chat: ChatArgs => Option<ChatSettings>,
    alive: AliveArgs => Option<AliveSettings>,
    log: LogArgs => LogSettings,
}

impl Settings {
    pub fn load(args: &ServeArgs) -> Result<Self, ConfigError> {
        let settings = Self::check_each(args)?;
        settings.desk.check()?;
        match (&settings.database, &settings.backup) {
            (DatabaseUrl::Postgres(_), Some(_)) => Err(ConfigError {
                setting: "FRONTDOOR_BACKUP_DIR",
                problem: "must be empty with PostgreSQL, which is backed up with `pg_dump`".into(),
            }),
            _ => Ok(settings),
        }
    }

    /// The parts that are off, each with the consequence and the setting that turns it on.
    pub fn off(&self) -> impl Iterator<Item = [&'static str; 3]> {
        let is_file = matches!(self.database, DatabaseUrl::Sqlite(_));
        let no_mail = match self.webhook {
            Some(_) => "only the webhook gets new leads",
            None => "nobody is notified of new leads",
        };
        let mail = ["mail", no_mail, "FRONTDOOR_SMTP_URL"];
        let webhook = [
            "webhook",
            "no automation gets the leads",
            "FRONTDOOR_WEBHOOK_URL",
        ];
        let chat = [
            "chat",
            "no page has an assistant",
            "FRONTDOOR_CHAT_PROJECT_ID",
        ];
        let backup = [
            "backup",
            "if the disk fails, all leads are lost",
            "FRONTDOOR_BACKUP_DIR",
        ];
        let off = [
            self.mail.is_none().then_some(mail),
            self.webhook.is_none().then_some(webhook),
            self.chat.is_none().then_some(chat),
            (is_file && self.backup.is_none()).then_some(backup),
        ];
        off.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests;
