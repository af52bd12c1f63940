//! All settings, checked before anything starts.
//!
//! An empty value counts as not set: that is what `VARIABLE=` in a service
//! file or a container means to its writer. The first wrong value stops the
//! start with one line that names the setting.

mod args;
mod parse;
mod secret;
mod smtp;

use std::net::SocketAddr;

use http::{HeaderName, HeaderValue};
use ipnet::IpNet;
use lettre::message::Mailbox;
use tracing_subscriber::EnvFilter;
use url::Url;

pub use args::{DatabaseArgs, LogArgs, MailArgs, ServeArgs};
pub use secret::Secret;
pub use smtp::{Login, Security, SmtpServer};

use crate::content::SITE;
use crate::store::DatabaseUrl;

/// The bytes behind `whsec_…`.
pub type WebhookSecret = Secret<Vec<u8>>;

const DEFAULT_LISTEN: &str = "127.0.0.1:8080";
const DEFAULT_OPS_LISTEN: &str = "127.0.0.1:9090";
const DEFAULT_DATABASE: &str = "sqlite://data/frontdoor.db";
const DEFAULT_RATE_LIMIT: u32 = 10;
const CHAT_SCRIPT: &str = "https://cdn.voiceflow.com/widget-next/bundle.mjs";
const CHAT_RUNTIME: &str = "https://general-runtime.voiceflow.com";

/// One setting cannot be used. Displays as the line for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    pub setting: &'static str,
    pub problem: String,
}

/// Everything the server was told, checked.
#[derive(Debug, Clone)]
pub struct Settings {
    pub listen: SocketAddr,
    pub ops_listen: Option<SocketAddr>,
    pub database: DatabaseUrl,
    pub webhook: Option<WebhookSettings>,
    pub mail: Option<MailSettings>,
    pub chat: Option<ChatSettings>,
    /// Form posts a minute for one client address; 0: no limit.
    pub rate_limit: u32,
    pub trusted_proxies: Vec<IpNet>,
    /// HSTS speaks for all subdomains.
    pub hsts_subdomains: bool,
    pub log: LogSettings,
}

#[derive(Debug, Clone)]
pub struct WebhookSettings {
    /// Whoever knows it can post to it.
    pub url: Secret<Url>,
    pub secret: Option<WebhookSecret>,
    pub header: Option<(HeaderName, Secret<HeaderValue>)>,
}

#[derive(Debug, Clone)]
pub struct MailSettings {
    pub server: SmtpServer,
    pub from: Mailbox,
    pub notify: Mailbox,
    pub auto_reply: bool,
}

/// A mail server and the name under which it is used.
#[derive(Debug, Clone)]
pub struct OutgoingMail {
    pub server: SmtpServer,
    pub from: Mailbox,
}

#[derive(Debug, Clone)]
pub struct ChatSettings {
    pub project_id: String,
    pub script_url: Url,
    pub runtime_url: Url,
    pub load: ChatLoad,
}

/// When the browser asks for the chat provider's script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChatLoad {
    /// Once the page has loaded.
    #[default]
    Load,
    /// Once the visitor has pressed our button for it.
    Click,
}

#[derive(Debug, Clone)]
pub struct LogSettings {
    /// In the syntax of [`EnvFilter`], already tried.
    pub filter: String,
    pub format: LogFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LogFormat {
    Auto,
    Human,
    Json,
}

impl Settings {
    pub fn load(args: &ServeArgs) -> Result<Self, ConfigError> {
        Ok(Self {
            listen: read("FRONTDOOR_LISTEN", &args.listen, parse::listen)?
                .unwrap_or_else(|| DEFAULT_LISTEN.parse().expect("a valid default")),
            ops_listen: read("FRONTDOOR_OPS_LISTEN", &args.ops_listen, parse::ops_listen)?
                .unwrap_or_else(|| DEFAULT_OPS_LISTEN.parse().ok()),
            database: args.database.load()?,
            webhook: webhook(args)?,
            mail: mail(args)?,
            chat: chat(args)?,
            rate_limit: read("FRONTDOOR_RATE_LIMIT", &args.rate_limit, parse::rate_limit)?
                .unwrap_or(DEFAULT_RATE_LIMIT),
            trusted_proxies: read(
                "FRONTDOOR_TRUSTED_PROXIES",
                &args.trusted_proxies,
                parse::networks,
            )?
            .unwrap_or_default(),
            hsts_subdomains: read(
                "FRONTDOOR_HSTS_SUBDOMAINS",
                &args.hsts_subdomains,
                parse::switch,
            )?
            .unwrap_or(false),
            log: args.log.load()?,
        })
    }
}

impl DatabaseArgs {
    pub fn load(&self) -> Result<DatabaseUrl, ConfigError> {
        let url = read("DATABASE_URL", &self.database_url, |text| {
            text.parse::<DatabaseUrl>()
                .map_err(|error| error.to_string())
        })?;
        Ok(url.unwrap_or_else(|| DEFAULT_DATABASE.parse().expect("a valid default")))
    }
}

impl MailArgs {
    /// `None` when no mail server is set up.
    pub fn load(&self) -> Result<Option<OutgoingMail>, ConfigError> {
        let server = read("FRONTDOOR_SMTP_URL", &self.smtp_url, str::parse)?;
        let from = read("FRONTDOOR_MAIL_FROM", &self.mail_from, parse::mailbox)?;
        let Some(server) = server else {
            return Ok(None);
        };
        let site = || Ok(Mailbox::new(Some(SITE.name.clone()), site_mailbox()?.email));
        let from = from.map_or_else(site, Ok)?;
        Ok(Some(OutgoingMail { server, from }))
    }
}

impl LogArgs {
    pub fn load(&self) -> Result<LogSettings, ConfigError> {
        let filter = read("FRONTDOOR_LOG", &self.log, |text| {
            let tried = EnvFilter::try_new(text).map(|_| text.to_owned());
            tried.map_err(|_| "must be a filter, like info or info,frontdoor::outbox=debug".into())
        })?;
        let format = read(
            "FRONTDOOR_LOG_FORMAT",
            &self.log_format,
            |text| match text {
                "auto" => Ok(LogFormat::Auto),
                "human" => Ok(LogFormat::Human),
                "json" => Ok(LogFormat::Json),
                _ => Err("must be `auto`, `human` or `json`".into()),
            },
        )?;
        Ok(LogSettings {
            filter: filter.unwrap_or_else(|| "info".into()),
            format: format.unwrap_or(LogFormat::Auto),
        })
    }
}

fn webhook(args: &ServeArgs) -> Result<Option<WebhookSettings>, ConfigError> {
    let url = read("FRONTDOOR_WEBHOOK_URL", &args.webhook_url, parse::web_url)?;
    let secret = read(
        "FRONTDOOR_WEBHOOK_SECRET",
        &args.webhook_secret,
        parse::webhook_secret,
    )?;
    let header = read(
        "FRONTDOOR_WEBHOOK_HEADER",
        &args.webhook_header,
        parse::webhook_header,
    )?;
    Ok(url.map(|url| WebhookSettings {
        url: Secret::new(url),
        secret,
        header,
    }))
}

fn mail(args: &ServeArgs) -> Result<Option<MailSettings>, ConfigError> {
    let outgoing = args.mail.load()?;
    let notify = read("FRONTDOOR_NOTIFY_EMAIL", &args.notify_email, parse::mailbox)?;
    let auto_reply = read("FRONTDOOR_AUTO_REPLY", &args.auto_reply, parse::switch)?;
    let Some(OutgoingMail { server, from }) = outgoing else {
        return Ok(None);
    };
    let site = site_mailbox()?;
    Ok(Some(MailSettings {
        server,
        from,
        notify: notify.unwrap_or(site),
        auto_reply: auto_reply.unwrap_or(false),
    }))
}

fn site_mailbox() -> Result<Mailbox, ConfigError> {
    parse::mailbox(&SITE.email).map_err(|problem| ConfigError {
        setting: "email in content/site.toml",
        problem,
    })
}

fn chat(args: &ServeArgs) -> Result<Option<ChatSettings>, ConfigError> {
    let id = read(
        "FRONTDOOR_CHAT_PROJECT_ID",
        &args.chat_project_id,
        parse::chat_project_id,
    )?;
    let script = read(
        "FRONTDOOR_CHAT_SCRIPT_URL",
        &args.chat_script_url,
        parse::public_url,
    )?;
    let runtime = read(
        "FRONTDOOR_CHAT_RUNTIME_URL",
        &args.chat_runtime_url,
        parse::public_url,
    )?;
    let load = read("FRONTDOOR_CHAT_LOAD", &args.chat_load, parse::chat_load)?;
    Ok(id.map(|project_id| ChatSettings {
        project_id,
        script_url: script.unwrap_or_else(|| CHAT_SCRIPT.parse().expect("a valid default")),
        runtime_url: runtime.unwrap_or_else(|| CHAT_RUNTIME.parse().expect("a valid default")),
        load: load.unwrap_or_default(),
    }))
}

/// The value of one setting: `None` when it is not set.
fn read<T>(
    setting: &'static str,
    text: &Option<String>,
    parse: impl FnOnce(&str) -> Result<T, String>,
) -> Result<Option<T>, ConfigError> {
    let text = text
        .as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty());
    text.map(parse)
        .transpose()
        .map_err(|problem| ConfigError { setting, problem })
}

#[cfg(test)]
mod tests;
