//! The settings as they are written: flags, each with an environment variable.
//!
//! Every value is taken as text and checked in one place, so that a wrong one
//! ends in the same clear line whether it came from a flag or the environment.

use clap::Args;

/// Where the data is. Shared by every command that opens the store.
#[derive(Args, Debug, Clone, Default)]
pub struct DatabaseArgs {
    /// Database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME`
    /// [default: sqlite://data/frontdoor.db]
    #[arg(
        help_heading = "Data",
        long,
        env = "DATABASE_URL",
        hide_env_values = true,
        global = true,
        value_name = "URL"
    )]
    pub database_url: Option<String>,
}

/// How mail goes out. Shared by the server and the newsletter.
#[derive(Args, Debug, Clone, Default)]
pub struct MailArgs {
    /// Mail server: `smtp://USER:PASSWORD@HOST:PORT` (STARTTLS where offered)
    /// or `smtps://…` (TLS from the first byte); without it no mail is sent
    /// [default: none]
    #[arg(
        help_heading = "Mail",
        long,
        env = "FRONTDOOR_SMTP_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub smtp_url: Option<String>,

    /// Sender of every e-mail [default: the site's address]
    #[arg(
        help_heading = "Mail",
        long,
        env = "FRONTDOOR_MAIL_FROM",
        value_name = "MAILBOX"
    )]
    pub mail_from: Option<String>,
}

/// How the program tells what it does.
#[derive(Args, Debug, Clone, Default)]
pub struct LogArgs {
    /// What to log: error, warn, info, debug, trace or off, also per part of
    /// the program (`info,frontdoor::outbox=debug`) [default: info]
    #[arg(
        help_heading = "Log",
        long,
        env = "FRONTDOOR_LOG",
        value_name = "FILTER"
    )]
    pub log: Option<String>,

    /// Form of the log: `human`, `json`, or `auto` (human on a terminal, JSON
    /// otherwise) [default: auto]
    #[arg(
        help_heading = "Log",
        long,
        env = "FRONTDOOR_LOG_FORMAT",
        value_name = "FORMAT"
    )]
    pub log_format: Option<String>,
}

/// Everything the server can be told.
#[derive(Args, Debug, Clone, Default)]
pub struct ServeArgs {
    /// Address and port of the public site [default: 127.0.0.1:8080]
    #[arg(
        help_heading = "Network",
        long,
        env = "FRONTDOOR_LISTEN",
        value_name = "ADDRESS"
    )]
    pub listen: Option<String>,

    /// Address and port of health checks and metrics, never to be made
    /// public; `off` turns them off [default: 127.0.0.1:9090]
    #[arg(
        help_heading = "Network",
        long,
        env = "FRONTDOOR_OPS_LISTEN",
        value_name = "ADDRESS|off"
    )]
    pub ops_listen: Option<String>,

    #[command(flatten)]
    pub database: DatabaseArgs,

    /// Automation webhook that receives every lead; without it leads are only
    /// stored [default: none]
    #[arg(
        help_heading = "Webhook",
        long,
        env = "FRONTDOOR_WEBHOOK_URL",
        hide_env_values = true,
        value_name = "URL"
    )]
    pub webhook_url: Option<String>,

    /// Signs webhook deliveries (Standard Webhooks): `whsec_` and the base64
    /// of 24 to 64 random bytes [default: none]
    #[arg(
        help_heading = "Webhook",
        long,
        env = "FRONTDOOR_WEBHOOK_SECRET",
        hide_env_values = true,
        value_name = "SECRET"
    )]
    pub webhook_secret: Option<String>,

    /// One fixed header for webhook deliveries, for receivers that cannot
    /// check signatures: `Name: value` [default: none]
    #[arg(
        help_heading = "Webhook",
        long,
        env = "FRONTDOOR_WEBHOOK_HEADER",
        hide_env_values = true,
        value_name = "HEADER"
    )]
    pub webhook_header: Option<String>,

    #[command(flatten)]
    pub mail: MailArgs,

    /// Who is told of a new lead [default: the site's address]
    #[arg(
        help_heading = "Mail",
        long,
        env = "FRONTDOOR_NOTIFY_EMAIL",
        value_name = "MAILBOX"
    )]
    pub notify_email: Option<String>,

    /// Answer every visitor with a short e-mail that names the booking page:
    /// `on` or `off` [default: off]
    #[arg(
        help_heading = "Mail",
        long,
        env = "FRONTDOOR_AUTO_REPLY",
        value_name = "on|off"
    )]
    pub auto_reply: Option<String>,

    /// Project of the chat assistant; without it there is no chat and no
    /// third party on the page [default: none]
    #[arg(
        help_heading = "Chat",
        long,
        env = "FRONTDOOR_CHAT_PROJECT_ID",
        value_name = "ID"
    )]
    pub chat_project_id: Option<String>,

    /// Script of the chat assistant [default: the provider's]
    #[arg(
        help_heading = "Chat",
        long,
        env = "FRONTDOOR_CHAT_SCRIPT_URL",
        value_name = "URL"
    )]
    pub chat_script_url: Option<String>,

    /// Where the chat assistant talks to [default: the provider's]
    #[arg(
        help_heading = "Chat",
        long,
        env = "FRONTDOOR_CHAT_RUNTIME_URL",
        value_name = "URL"
    )]
    pub chat_runtime_url: Option<String>,

    /// When the chat assistant is loaded: `load` (once the page is), or
    /// `click` (a button of our own comes first, and nothing of the provider
    /// before it is pressed) [default: load]
    #[arg(long, env = "FRONTDOOR_CHAT_LOAD", value_name = "load|click")]
    pub chat_load: Option<String>,

    /// Form posts a minute for one client address; 0: no limit [default: 10]
    #[arg(
        help_heading = "Network",
        long,
        env = "FRONTDOOR_RATE_LIMIT",
        value_name = "NUMBER"
    )]
    pub rate_limit: Option<String>,

    /// Addresses or networks, separated by commas, whose X-Forwarded-For and
    /// X-Forwarded-Proto are believed [default: none]
    #[arg(
        help_heading = "Network",
        long,
        env = "FRONTDOOR_TRUSTED_PROXIES",
        value_name = "LIST"
    )]
    pub trusted_proxies: Option<String>,

    /// Whether visitors' browsers shall insist on TLS for every subdomain of
    /// the site too, for a year: `on` or `off`. Only for answers that reach
    /// the visitor by TLS through a trusted proxy [default: off]
    #[arg(
        help_heading = "Network",
        long,
        env = "FRONTDOOR_HSTS_SUBDOMAINS",
        value_name = "on|off"
    )]
    pub hsts_subdomains: Option<String>,

    #[command(flatten)]
    pub log: LogArgs,
}
