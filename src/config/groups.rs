//! The groups of settings, in the order of the help. The mail settings are in `mail.rs`.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use ipnet::IpNet;
use jiff::SignedDuration;
use tracing_subscriber::filter::{LevelFilter, Targets};
use url::Url;

use super::setting::{
    ConfigError, Parsed, Secret, is_this_machine, number, or_off, path, secret_url, settings,
    switch, web_url,
};
use crate::content::{Retention, retention};
use crate::domain::word_enum;
use crate::store::{BookingService, DatabaseUrl, OldRecords};

settings! {
    NetworkArgs in "Network" => NetworkSettings {
        /// Address and port of the public site
        #[setting("FRONTDOOR_LISTEN", "ADDRESS")]
        listen => listen: SocketAddr = address, or "127.0.0.1:8080";

        /// Address and port of health checks and metrics, which must never be public;
        /// `off` turns them off
        #[setting("FRONTDOOR_OPS_LISTEN", "ADDRESS|off")]
        ops_listen => ops_listen: Option<SocketAddr> = or_off(address), or "127.0.0.1:9090";

        /// Forms that one visitor's address may send per minute (it may follow six times as many
        /// links in newsletter mails); 0 means no limit
        #[setting("FRONTDOOR_RATE_LIMIT", "NUMBER")]
        rate_limit => rate_limit: u32 = |text| number(text, 0..=1_000_000), or "10";

        /// Addresses or networks of your reverse proxies, separated by commas; their
        /// X-Forwarded-For and X-Forwarded-Proto headers are trusted
        #[setting("FRONTDOOR_TRUSTED_PROXIES", "LIST")]
        trusted_proxies => trusted_proxies: Vec<IpNet> = networks, or "" as "none";

        /// Whether browsers must use https for every subdomain of the site, too, for a year: `on`
        /// or `off`; has an effect only behind a trusted proxy with https
        #[setting("FRONTDOOR_HSTS_SUBDOMAINS", "on|off")]
        hsts_subdomains => hsts_subdomains: bool = switch, or "off";
    }
}

impl NetworkSettings {
    /// Higher, because many people share an address when their company scans all links, or their
    /// mail provider unsubscribes them.
    pub fn link_limit(&self) -> u32 {
        self.rate_limit.saturating_mul(6)
    }
}

fn address(text: &str) -> Parsed<SocketAddr> {
    text.replace("localhost:", "127.0.0.1:")
        .parse()
        .map_err(|_| "must be an address and a port, like 127.0.0.1:8080 or [::]:8080".into())
}

fn networks(text: &str) -> Parsed<Vec<IpNet>> {
    let entries = text.split(',').map(str::trim);
    let entries = entries.filter(|entry| !entry.is_empty());
    let network = |entry: &str| {
        let address = |_| entry.parse::<IpAddr>().map(IpNet::from);
        entry.parse::<IpNet>().or_else(address)
    };
    let networks: Result<_, _> = entries.map(network).collect();
    networks.map_err(|_| "must be addresses or networks, like 10.0.0.1,192.168.0.0/16".into())
}

settings! {
    DeskArgs in "Desk" => DeskSettings {
        /// Address and port of the owner's desk; `off` turns it off
        #[setting("FRONTDOOR_DESK_LISTEN", "ADDRESS|off")]
        desk_listen => listen: Option<SocketAddr> = or_off(address), or "127.0.0.1:8081";

        /// Address at which your browser reaches the desk; if it is set, mails to you link to it;
        /// must be https unless it is on this machine
        #[setting("FRONTDOOR_DESK_URL", "URL")]
        desk_url => url: Option<Url> = desk_url, or none as "http:// and FRONTDOOR_DESK_LISTEN";
    }
}

impl DeskSettings {
    /// Where the owner's browser reaches the desk; `None` if the desk is off.
    pub fn address(&self) -> Option<Url> {
        self.address_of(self.listen?)
    }

    /// Like [`Self::address`], for a port that was chosen when the desk began to listen.
    pub fn address_of(&self, listen: SocketAddr) -> Option<Url> {
        let listener = || format!("http://{listen}/").parse().ok();
        self.url.clone().or_else(listener)
    }

    /// Fails if a session's cookie could travel in plain text.
    pub fn check(&self) -> Result<(), ConfigError> {
        let beyond = self
            .listen
            .is_some_and(|address| !address.ip().is_loopback());
        if beyond && self.url.is_none() {
            Err(ConfigError {
                setting: "FRONTDOOR_DESK_LISTEN",
                problem: "is reachable from other machines: set FRONTDOOR_DESK_URL to the desk's \
                    https address, or listen on 127.0.0.1"
                    .into(),
            })
        } else {
            Ok(())
        }
    }
}

fn desk_url(text: &str) -> Parsed<Url> {
    let url = web_url(text)?;
    if url.scheme() != "https" && !url.host_str().is_some_and(is_this_machine) {
        return Err("must start with https:// unless it is on this machine".into());
    }
    if url.as_str() == format!("{}/", url.origin().ascii_serialization()) {
        return Ok(url);
    }
    Err("must be a host without a path or a user, like https://desk.example.com".into())
}

settings! {
    DatabaseArgs in "Data" => DatabaseSettings {
        /// Database: `sqlite://PATH` or `postgres://USER:PASSWORD@HOST/NAME`
        #[setting("DATABASE_URL", "URL", secret)]
        database_url => url: DatabaseUrl = str::parse, or "sqlite://data/frontdoor.db";

        /// Connections to PostgreSQL per server or command, split between writing and reading
        /// (at most 4 each)
        #[setting("FRONTDOOR_DATABASE_CONNECTIONS", "NUMBER")]
        database_connections => connections: usize = |text| number(text, 1..=1_000), or "8";
    }
}

impl From<DatabaseSettings> for DatabaseUrl {
    fn from(settings: DatabaseSettings) -> Self {
        settings.url.with_connections(settings.connections)
    }
}

settings! {
    SiteArgs in "Site" => SiteSettings {
        /// Release to serve instead of the published one: its file, or the folder of the web build
        #[setting("FRONTDOOR_SITE", "FILE|FOLDER")]
        site => release: Option<PathBuf> = path,
            or none as "the published one, else the program's own";
    }
}

settings! {
    VisitsArgs in "Site" => VisitsSettings {
        /// Whether visits are counted, by page, referring site and campaign, without
        /// anything about the visitor: `on` or `off`
        #[setting("FRONTDOOR_COUNT", "on|off")]
        count => count: bool = switch, or "on";
    }
}

settings! {
    BackupArgs in "Data" => Option<BackupSettings> {
        /// Folder for a daily backup of the SQLite database; each backup is checked
        #[setting("FRONTDOOR_BACKUP_DIR", "FOLDER")]
        backup_dir => folder: PathBuf = path, or off;

        /// Number of daily backups to keep
        #[setting("FRONTDOOR_BACKUP_KEEP", "NUMBER")]
        backup_keep => keep: usize = |text| number(text, 1..=10_000), or "14";
    }
}

/// How long records are kept; `None` means forever.
pub type Period = Option<SignedDuration>;

settings! {
    RetentionArgs in "Retention" => RetentionSettings {
        /// Days to keep answered, booked and closed leads after the last contact; 0 means forever
        #[setting("FRONTDOOR_KEEP_LEADS_DAYS", "DAYS")]
        keep_leads_days => leads: Option<u32> = days, or policy;

        /// Days to keep leads that were marked as spam; 0 means forever
        #[setting("FRONTDOOR_KEEP_SPAM_DAYS", "DAYS")]
        keep_spam_days => spam: Option<u32> = days, or policy;

        /// Days to keep newsletter sign-ups that were never confirmed, at least 7; 0 means forever
        #[setting("FRONTDOOR_KEEP_UNCONFIRMED_DAYS", "DAYS")]
        keep_unconfirmed_days => unconfirmed: Option<u32> = while_links_work, or policy;

        /// Days to keep the proof of a consent after it was withdrawn; 0 means forever
        #[setting("FRONTDOOR_KEEP_UNSUBSCRIBED_DAYS", "DAYS")]
        keep_unsubscribed_days => unsubscribed: Option<u32> = days, or policy;

        /// Days to keep deliveries after they arrived or were given up; 0 means forever
        #[setting("FRONTDOOR_KEEP_DELIVERIES_DAYS", "DAYS")]
        keep_deliveries_days => deliveries: Option<u32> = days, or policy;

        /// Days to keep the links of confirmation mails after they have expired; 0 means forever
        #[setting("FRONTDOOR_KEEP_LINKS_DAYS", "DAYS")]
        keep_links_days => links: Option<u32> = days, or policy;

        /// Days to keep the mail server's reason for refusing an address; 0 means forever
        #[setting("FRONTDOOR_KEEP_REFUSALS_DAYS", "DAYS")]
        keep_refusals_days => refusals: Option<u32> = days, or policy;

        /// Days to keep scheduled newsletter issues after they were sent or cancelled; 0 means
        /// forever
        #[setting("FRONTDOOR_KEEP_SCHEDULES_DAYS", "DAYS")]
        keep_schedules_days => schedules: Option<u32> = days, or policy;
    }
}

/// The number of days for which the link to confirm works.
pub const MIN_UNCONFIRMED: u32 = 7;

/// The days of one kind of record. The privacy policy and the settings use the same field names.
macro_rules! days_of {
    ($kind:expr, $periods:expr) => {
        match $kind {
            OldRecords::Leads => $periods.leads,
            OldRecords::Spam => $periods.spam,
            OldRecords::Unconfirmed => $periods.unconfirmed,
            OldRecords::Unsubscribed | OldRecords::PastConsents => $periods.unsubscribed,
            OldRecords::Deliveries | OldRecords::Bookings => $periods.deliveries,
            OldRecords::Links => $periods.links,
            OldRecords::Refusals | OldRecords::RefusedIssues => $periods.refusals,
            OldRecords::Schedules => $periods.schedules,
        }
    };
}

impl RetentionSettings {
    /// The period that is set, or else the one that the shown site's privacy policy promises.
    pub fn period(&self, kind: OldRecords) -> Period {
        days_of!(kind, self).map_or(promised(kind, retention()), period)
    }

    /// The kinds of records that are kept for longer than the shown site's privacy policy promises.
    pub fn beyond_the_policy(&self) -> impl Iterator<Item = OldRecords> + '_ {
        let length = |period: Period| period.unwrap_or(SignedDuration::MAX);
        OldRecords::ALL
            .into_iter()
            .filter(move |kind| length(self.period(*kind)) > length(promised(*kind, retention())))
    }
}

pub fn promised(kind: OldRecords, policy: &Retention) -> Period {
    period(days_of!(kind, policy))
}

fn period(days: u32) -> Period {
    (days > 0).then(|| SignedDuration::from_hours(24 * i64::from(days)))
}

fn days(text: &str) -> Parsed<u32> {
    number(text, 0..=36_500)
}

fn while_links_work(text: &str) -> Parsed<u32> {
    match days(text)? {
        1..MIN_UNCONFIRMED => Err("must be 0 (forever) or at least 7 days".into()),
        days => Ok(days),
    }
}

settings! {
    PromiseArgs in "Leads" => PromiseSettings {
        /// Hours within which visitors are promised an answer; after that, a lead is overdue
        #[setting("FRONTDOOR_PROMISE_HOURS", "HOURS")]
        promise_hours => promise: SignedDuration = hours, or "24";
    }
}

/// At most a month.
fn hours(text: &str) -> Parsed<SignedDuration> {
    number(text, 1..=744).map(SignedDuration::from_hours)
}

/// The bytes that a call is signed with.
pub type SigningKey = Secret<Vec<u8>>;

settings! {
    WebhookArgs in "Webhook" => Option<WebhookSettings> {
        /// Webhook of your automation, which receives every lead; without it, leads are only stored
        #[setting("FRONTDOOR_WEBHOOK_URL", "URL", secret)]
        webhook_url => url: Secret<Url> = secret_url, or off;

        /// Key that signs webhook deliveries (Standard Webhooks): `whsec_` and the base64
        /// of 24 to 64 random bytes
        #[setting("FRONTDOOR_WEBHOOK_SECRET", "SECRET", secret)]
        webhook_secret => secret: Option<SigningKey> = webhook_secret, or none;

        /// Header to add to webhook deliveries, for receivers that can't check signatures:
        /// `Name: value`
        #[setting("FRONTDOOR_WEBHOOK_HEADER", "HEADER", secret)]
        webhook_header => header: Option<(HeaderName, Secret<HeaderValue>)> = header, or none;
    }
}

fn webhook_secret(text: &str) -> Parsed<SigningKey> {
    text.strip_prefix("whsec_")
        .and_then(|key| STANDARD.decode(key).ok())
        .filter(|key| (24..=64).contains(&key.len()))
        .map(Secret::new)
        .ok_or_else(|| "must be `whsec_` followed by the base64 of 24 to 64 bytes".into())
}

/// Headers that a delivery sets itself.
const OWN_HEADERS: [&str; 6] = [
    "connection",
    "content-*",
    "host",
    "transfer-*",
    "webhook-*",
    "frontdoor-*",
];

fn header(text: &str) -> Parsed<(HeaderName, Secret<HeaderValue>)> {
    let pair = text.split_once(':').and_then(|(name, value)| {
        let name = HeaderName::try_from(name.trim()).ok()?;
        let is_ours = |ours: &&str| match ours.strip_suffix('*') {
            Some(start) => name.as_str().starts_with(start),
            None => name == *ours,
        };
        if OWN_HEADERS.iter().any(is_ours) {
            return None;
        }
        let mut value = HeaderValue::try_from(value.trim()).ok()?;
        value.set_sensitive(true);
        (!value.is_empty()).then(|| (name, Secret::new(value)))
    });
    pair.ok_or_else(|| {
        "must be one header that deliveries don't set themselves, like `X-Token: value`".into()
    })
}

settings! {
    BookingArgs in "Bookings" => BookingSettings {
        /// Secret of your webhook at Cal.com, at least 16 characters; without it, no bookings are
        /// received from Cal.com
        #[setting("FRONTDOOR_CAL_SECRET", "SECRET", secret)]
        cal_secret => cal: Option<SigningKey> = booking_key, or none;

        /// Signing key of your webhook subscription at Calendly, at least 16 characters; without
        /// it, no bookings are received from Calendly
        #[setting("FRONTDOOR_CALENDLY_KEY", "KEY", secret)]
        calendly_key => calendly: Option<SigningKey> = booking_key, or none;
    }
}

impl BookingSettings {
    pub fn key(&self, service: BookingService) -> Option<&[u8]> {
        let key = match service {
            BookingService::Cal => &self.cal,
            BookingService::Calendly => &self.calendly,
        };
        key.as_ref().map(|key| key.reveal().as_slice())
    }

    pub fn services(&self) -> Vec<BookingService> {
        let all = BookingService::ALL.iter().copied();
        all.filter(|service| self.key(*service).is_some()).collect()
    }
}

fn booking_key(text: &str) -> Parsed<SigningKey> {
    match text.len() {
        16.. => Ok(Secret::new(text.as_bytes().to_vec())),
        _ => Err("must have at least 16 characters".into()),
    }
}

settings! {
    ChatArgs in "Chat" => Option<ChatSettings> {
        /// Project of the chat assistant; without it, pages have no chat and no third party
        #[setting("FRONTDOOR_CHAT_PROJECT_ID", "ID")]
        chat_project_id => project_id: String = project_id, or off;

        /// Script of the chat assistant
        #[setting("FRONTDOOR_CHAT_SCRIPT_URL", "URL")]
        chat_script_url => script_url: Url = web_url,
            or "https://cdn.voiceflow.com/widget-next/bundle.mjs" as "the provider's";

        /// Address that the chat assistant talks to
        #[setting("FRONTDOOR_CHAT_RUNTIME_URL", "URL")]
        chat_runtime_url => runtime_url: Url = web_url,
            or "https://general-runtime.voiceflow.com" as "the provider's";

        /// When to load the chat assistant: `load` (once the page is loaded) or `click` (once the
        /// visitor presses the site's button; until then, no request goes to the provider)
        #[setting("FRONTDOOR_CHAT_LOAD", "load|click")]
        chat_load => load: ChatLoad = str::parse, or "load";
    }
}

word_enum!(
    ChatLoad {
        Load = "load",
        Click = "click",
    }
);

fn project_id(text: &str) -> Parsed<String> {
    // The id becomes part of a script, a storage key and a path.
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    if text.len() <= 64 && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Err("must be at most 64 letters, digits, `-` or `_`".into())
}

settings! {
    AliveArgs in "Monitoring" => Option<AliveSettings> {
        /// Address of a monitoring service, called every five minutes while leads can be stored;
        /// the service raises the alarm when the calls stop
        #[setting("FRONTDOOR_ALIVE_URL", "URL", secret)]
        alive_url => url: Secret<Url> = secret_url, or off;
    }
}

settings! {
    LogArgs in "Log" => LogSettings {
        /// What to log: off, error, warn, info, debug or trace, also per part of the program
        /// (`info,frontdoor::outbox=debug`)
        #[setting("FRONTDOOR_LOG", "FILTER")]
        log => filter: Targets = filter, or "info";

        /// Log format: `human`, `json`, or `auto` (human on a terminal, JSON otherwise)
        #[setting("FRONTDOOR_LOG_FORMAT", "FORMAT")]
        log_format => format: LogFormat = str::parse, or "auto";
    }
}

word_enum!(
    LogFormat {
        Auto = "auto",
        Human = "human",
        Json = "json",
    }
);

fn filter(text: &str) -> Parsed<Targets> {
    let text = text.replace(' ', "");
    // The library takes a mistyped level for the name of a part, and would then log nothing.
    let is_known = |directive: &str| {
        let (part, level) = directive.split_once('=').unwrap_or(("", directive));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_:".contains(c);
        part.chars().all(is_plain) && !level.is_empty() && level.parse::<LevelFilter>().is_ok()
    };
    let filter = text.split(',').all(is_known).then(|| text.parse().ok());
    filter
        .flatten()
        .ok_or_else(|| "must be a filter, like info or info,frontdoor::outbox=debug".into())
}
