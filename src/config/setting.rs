//! How a setting is declared, and where its value is found. One row declares the flag, the
//! variable, the name in the settings file, the help and the parser.
//!
//! Every value is read as text and checked in one place, so that a wrong value causes the same
//! error wherever it comes from. The error never repeats the value, because some settings are
//! secrets.

use std::collections::BTreeMap;
use std::fmt;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::Serialize;
use url::Url;

use crate::store::DatabaseUrl;

/// A setting with a value that can't be used. Displays as the line for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    pub setting: &'static str,
    pub problem: String,
}

/// A value, or what is wrong with its text.
pub type Parsed<T> = Result<T, String>;

/// A setting, and what it is set to.
pub struct DeclaredSetting {
    /// The variable, which is also the name in the settings file.
    pub name: &'static str,
    pub heading: &'static str,
    pub help: &'static str,
    /// The default in words, which isn't always a value.
    pub default: &'static str,
    /// The value may carry a password or a key: it can be given as a file, and isn't shown.
    pub is_secret: bool,
    /// The value that is set; `None` means the default.
    pub found: Option<FoundValue>,
}

#[derive(Clone)]
pub struct FoundValue {
    pub value: String,
    /// `flag`, `environment`, `file` or `secret_file`.
    pub source: &'static str,
    /// The file, with the line number if it is the settings file.
    pub place: Option<String>,
}

/// A setting as it is in force and may be shown.
#[derive(Debug, Clone, Serialize)]
pub struct EffectiveSetting {
    pub name: &'static str,
    #[serde(skip)]
    pub group: &'static str,
    /// The value that is set, with secrets masked; `null` means the default.
    pub value: Option<String>,
    pub default: &'static str,
    pub source: &'static str,
    /// The file, with the line number if it is the settings file.
    pub place: Option<String>,
}

impl From<DeclaredSetting> for EffectiveSetting {
    fn from(row: DeclaredSetting) -> Self {
        let found = row.found.as_ref();
        Self {
            name: row.name,
            group: row.heading,
            value: found.map(|found| row.shown(&found.value)),
            default: row.default,
            source: found.map_or("default", |found| found.source),
            place: found.and_then(|found| found.place.clone()),
        }
    }
}

impl EffectiveSetting {
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or(self.default)
    }

    /// Where the value comes from.
    pub fn origin(&self) -> String {
        let source = self.source.replace('_', " ");
        match &self.place {
            Some(place) => format!("{source} {place}"),
            None => source,
        }
    }
}

impl FoundValue {
    pub(super) fn new(value: &str, source: &'static str, place: Option<String>) -> Self {
        let value = value.trim().to_owned();
        Self {
            value,
            source,
            place,
        }
    }
}

/// Everything that is set outside the command line.
#[derive(Default)]
pub struct ExternalSettings {
    pub(super) values: BTreeMap<&'static str, FoundValue>,
    /// Files with a secret that everybody on this machine may read.
    pub open_secrets: Vec<PathBuf>,
    /// The settings file, where there is one.
    pub file: Option<PathBuf>,
}

/// Set once, before any setting is read.
static EXTERNAL_SETTINGS: OnceLock<ExternalSettings> = OnceLock::new();

impl ExternalSettings {
    /// Keeps these settings for the process; [`find`] looks them up.
    pub fn keep(self) {
        EXTERNAL_SETTINGS.get_or_init(|| self);
    }

    pub fn kept() -> Option<&'static Self> {
        EXTERNAL_SETTINGS.get()
    }
}

/// The flag's value, or else the one set outside the command line. An empty value counts as not
/// set.
pub fn find(setting: &str, flag: &Option<String>) -> Option<FoundValue> {
    let flag = flag.as_deref();
    let flag = flag.map(|value| FoundValue::new(value, "flag", None));
    flag.filter(|found| !found.value.is_empty())
        .or_else(|| ExternalSettings::kept()?.values.get(setting).cloned())
}

/// Declares the settings under one heading of the help. `Args` holds the texts as typed; its
/// `load` checks and parses them.
///
/// In `flag => value: type = parser, or …`, the part after `or` is the default: a text that is
/// parsed like any other; `none`, `policy` or `site`, for which the value is an `Option`; or
/// `off`, which turns the whole group off. `as` puts the default into words for the help.
macro_rules! settings {
    ($args:ident in $heading:literal => Option<$settings:ident> $rows:tt) => {
        settings!(@group $args $heading $settings (Option<$settings>) (Some) $rows);
    };
    ($args:ident in $heading:literal => $settings:ident $rows:tt) => {
        settings!(@group $args $heading $settings ($settings) (std::convert::identity) $rows);
    };

    (@group $args:ident $heading:literal $settings:ident ($loaded:ty) ($wrap:path) {$(
        $(#[doc = $help:literal])+
        #[setting($env:literal, $value_name:literal $(, $secret:ident)?)]
        $flag:ident => $value:ident: $type:ty = $parse:expr, or $default:tt $(as $words:literal)?;
    )+}) => {
        #[derive(clap::Args, Debug, Clone, Default)]
        pub struct $args {$(
            #[arg(
                long,
                value_name = $value_name,
                global = true,
                allow_negative_numbers = true,
                help_heading = $heading,
                help = concat!(
                    $($help,)+ " [default: ", settings!(@shown $default $(as $words)?),
                    "] [env: ", $env, "]"
                ).trim_start()
            )]
            pub $flag: Option<String>,
        )+}

        #[derive(Debug, Clone)]
        pub struct $settings {$(
            $(#[doc = $help])+
            pub $value: $type,
        )+}

        impl $args {
            pub fn load(&self) -> Result<$loaded, $crate::config::ConfigError> {
                $(let $value = settings!(@read $env, &self.$flag, $parse, $default)?;)+
                $(settings!(@need $value $default);)+
                Ok($wrap($settings { $($value),+ }))
            }

            pub(super) fn rows(&self) -> Vec<$crate::config::DeclaredSetting> {
                vec![$($crate::config::DeclaredSetting {
                    name: $env,
                    heading: $heading,
                    help: concat!($($help),+).trim_start(),
                    default: settings!(@shown $default $(as $words)?),
                    is_secret: settings!(@is $($secret)?),
                    found: $crate::config::setting::find($env, &self.$flag),
                }),+]
            }
        }
    };

    (@is) => { false };
    (@is secret) => { true };

    (@shown off) => { "none" };
    (@shown none) => { "none" };
    (@shown policy) => { "the privacy policy's" };
    (@shown site) => { "the site's address" };
    (@shown $default:literal) => { $default };
    (@shown $default:tt as $words:literal) => { $words };

    (@read $env:literal, $flag:expr, $parse:expr, $default:literal) => {
        $crate::config::setting::read($env, $flag, $parse, Some($default))
            .map(|value| value.expect("there is a default"))
    };
    (@read $env:literal, $flag:expr, $parse:expr, $default:ident) => {
        $crate::config::setting::read($env, $flag, $parse, None)
    };

    (@need $value:ident off) => {
        let Some($value) = $value else {
            return Ok(None);
        };
    };
    (@need $value:ident $default:tt) => {};
}
pub(super) use settings;

/// The parsed value of a setting, or else of its default; `None` without either.
pub fn read<T>(
    setting: &'static str,
    flag: &Option<String>,
    parse: impl Fn(&str) -> Parsed<T>,
    default: Option<&str>,
) -> Result<Option<T>, ConfigError> {
    let found = find(setting, flag);
    let text = found.as_ref().map(|found| found.value.as_str()).or(default);
    let parsed = text.map(parse).transpose();
    let place = found.and_then(|found| found.place);
    let place = place.map_or(String::new(), |place| format!(" ({place})"));
    parsed.map_err(|problem| ConfigError {
        setting,
        problem: problem + &place,
    })
}

pub fn switch(text: &str) -> Parsed<bool> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on or off".into()),
    }
}

/// Parses `off` as `None`, and any other text with `parse`.
pub fn or_off<T>(parse: impl Fn(&str) -> Parsed<T>) -> impl Fn(&str) -> Parsed<Option<T>> {
    move |text| match text {
        "off" => Ok(None),
        _ => parse(text)
            .map(Some)
            .map_err(|problem| format!("{problem}, or off")),
    }
}

pub fn number<T>(text: &str, bounds: RangeInclusive<T>) -> Parsed<T>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    let number = text.parse().ok().filter(|number| bounds.contains(number));
    let (least, most) = (bounds.start(), bounds.end());
    number.ok_or_else(|| format!("must be a whole number from {least} to {most}"))
}

/// Whether only this machine is behind the host of an address.
pub fn is_this_machine(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

/// An `https:` or `http:` address.
pub fn web_url(text: &str) -> Parsed<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "https" | "http") && url.has_host())
        .ok_or_else(|| "must be an address that starts with https:// or http://".into())
}

/// An address that is as good as a key: anyone who knows it can use it.
pub fn secret_url(text: &str) -> Parsed<Secret<Url>> {
    web_url(text).map(Secret::new)
}

pub fn path(text: &str) -> Parsed<PathBuf> {
    if text.contains(char::is_control) {
        Err("must be a path without control characters".into())
    } else {
        Ok(text.into())
    }
}

/// A value that must not reach a log or a screen by accident.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T>(T);

impl<T> Secret<T> {
    pub fn new(value: T) -> Self {
        Self(value)
    }

    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T> fmt::Debug for Secret<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[redacted]")
    }
}

pub const MASK: &str = "***";

impl DeclaredSetting {
    /// The setting that names a file with the value of this one.
    pub fn file_name(&self) -> Option<String> {
        self.is_secret.then(|| format!("{}_FILE", self.name))
    }

    pub fn shown(&self, value: &str) -> String {
        if !self.is_secret {
            return value.to_owned();
        }
        if let Ok(url) = value.parse::<DatabaseUrl>() {
            return format!("{url:?}");
        }
        masked_url(value).unwrap_or_else(|| MASK.to_owned())
    }
}

/// Masks the password, or a user name without a password. Also masks the path of a web address,
/// because anyone who knows a webhook's path can post to it.
fn masked_url(value: &str) -> Option<String> {
    let whole = Url::parse(value).ok().filter(Url::has_host)?;
    let mut url = whole.clone();
    if url.password().is_some() {
        url.set_password(Some(MASK)).ok()?;
    } else if !url.username().is_empty() {
        url.set_username(MASK).ok()?;
    }
    if matches!(url.scheme(), "http" | "https") && (url.path() != "/" || url.query().is_some()) {
        url.set_query(None);
        url.set_path(MASK);
    }
    // Shown as written if there is nothing to hide.
    Some(if url == whole {
        value.to_owned()
    } else {
        url.into()
    })
}
