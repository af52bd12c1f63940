//! How a setting is declared: one row gives its flag, its variable, its line in the
//! settings file, its help and how its value is read.
//!
//! Every value is taken as text and checked in one place, so that a wrong one ends in the
//! same clear line wherever it comes from. That line never repeats the value: some
//! settings are secrets.

use std::fmt;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;

use url::Url;

use crate::store::DatabaseUrl;

/// One setting can't be used. Displays as the line for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    pub setting: &'static str,
    pub problem: String,
}

/// A value, or what is wrong with its text.
pub type Parsed<T> = Result<T, String>;

/// A setting without its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its variable, which is its name in the settings file too.
    pub name: String,
    /// Without the dashes.
    pub flag: String,
    /// The group of settings that it belongs to.
    pub heading: String,
    pub help: String,
    /// In words: not always a value.
    pub default: String,
    /// It may carry a password or a key: it can be given as a file, and is not shown.
    pub is_secret: bool,
}

/// Declares the settings under one heading of the help. `Args` holds the texts as they
/// were given; its `load` checks them and makes the values.
///
/// `flag => value: type = parser, or …` says what holds when nothing is set: a text that
/// is read like any other, `none` (the value is an `Option`), or `off`: without this
/// setting the whole group is off. `as` puts the default into words for the help.
macro_rules! settings {
    ($args:ident in $heading:literal => Option<$settings:ident> $rows:tt) => {
        settings!(@group $args $heading $settings (Option<$settings>) (Some) $rows);
    };
    ($args:ident in $heading:literal => $settings:ident $rows:tt) => {
        settings!(@group $args $heading $settings ($settings) (std::convert::identity) $rows);
    };

    (@group $args:ident $heading:literal $settings:ident ($loaded:ty) ($wrap:path) {$(
        $(#[doc = $help:literal])+
        #[setting($env:literal, $value_name:literal $(, $trait:ident)*)]
        $flag:ident => $value:ident: $type:ty = $parse:path, or $default:tt $(as $words:literal)?;
    )+}) => {
        #[derive(clap::Args, Debug, Clone, Default)]
        pub struct $args {$(
            #[arg(
                long,
                env = $env,
                value_name = $value_name,
                hide_env_values = settings!(@has secret $($trait)*),
                global = settings!(@has global $($trait)*),
                allow_negative_numbers = true,
                help_heading = $heading,
                help = concat!(
                    $($help,)+ " [default: ", settings!(@shown $default $(as $words)?), "]"
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

            pub(super) fn rows() -> Vec<$crate::config::Row> {
                vec![$($crate::config::Row {
                    name: $env.into(),
                    flag: stringify!($flag).replace('_', "-"),
                    heading: $heading.into(),
                    help: concat!($($help),+).trim_start().into(),
                    default: settings!(@shown $default $(as $words)?).into(),
                    is_secret: settings!(@has secret $($trait)*),
                }),+]
            }
        }
    };

    (@has secret secret $($rest:ident)*) => { true };
    (@has global $(secret)? global) => { true };
    (@has $trait:ident $($other:ident)*) => { false };

    (@shown off) => { "none" };
    (@shown none) => { "none" };
    (@shown $default:literal) => { $default };
    (@shown $default:tt as $words:literal) => { $words };

    (@read $env:literal, $text:expr, $parse:path, $default:literal) => {
        $crate::config::setting::read_or($env, $text, $parse, $default)
    };
    (@read $env:literal, $text:expr, $parse:path, $default:ident) => {
        $crate::config::setting::read($env, $text, $parse)
    };

    (@need $value:ident off) => {
        let Some($value) = $value else {
            return Ok(None);
        };
    };
    (@need $value:ident $default:tt) => {};
}
pub(super) use settings;

/// The value of one setting; `None` when it is not set.
pub fn read<T>(
    setting: &'static str,
    text: &Option<String>,
    parse: impl Fn(&str) -> Parsed<T>,
) -> Result<Option<T>, ConfigError> {
    let text = text.as_deref().map(str::trim);
    text.filter(|text| !text.is_empty())
        .map(parse)
        .transpose()
        .map_err(|problem| ConfigError { setting, problem })
}

pub fn read_or<T>(
    setting: &'static str,
    text: &Option<String>,
    parse: impl Fn(&str) -> Parsed<T>,
    default: &str,
) -> Result<T, ConfigError> {
    match read(setting, text, &parse)? {
        Some(value) => Ok(value),
        None => parse(default).map_err(|problem| ConfigError { setting, problem }),
    }
}

/// One of a few words; the complaint names them all.
pub fn one_of<T, const N: usize>(words: [(&str, T); N], text: &str) -> Parsed<T> {
    let known = words.each_ref().map(|(word, _)| format!("`{word}`"));
    let found = words.into_iter().find(|(word, _)| *word == text);
    found.map(|(_, value)| value).ok_or_else(|| {
        let (last, others) = known.split_last().expect("there are words");
        format!("must be {} or {last}", others.join(", "))
    })
}

pub fn switch(text: &str) -> Parsed<bool> {
    one_of([("on", true), ("off", false)], text)
}

/// A whole number within bounds.
pub fn number<T>(text: &str, bounds: RangeInclusive<T>, what: &str) -> Parsed<T>
where
    T: FromStr + PartialOrd + fmt::Display,
{
    let number = text.parse().ok().filter(|number| bounds.contains(number));
    number.ok_or_else(|| {
        let (least, most) = (bounds.start(), bounds.end());
        format!("must be a whole number{what} from {least} to {most}")
    })
}

/// An `https:` or `http:` address.
pub fn web_url(text: &str) -> Parsed<Url> {
    Url::parse(text)
        .ok()
        .filter(|url| matches!(url.scheme(), "https" | "http") && url.has_host())
        .ok_or_else(|| "must be an address that starts with https:// or http://".into())
}

/// An address that is as good as a key: whoever knows it can use it.
pub fn secret_url(text: &str) -> Parsed<Secret<Url>> {
    web_url(text).map(Secret::new)
}

/// The path of a file or a folder, by `what`.
pub fn path(text: &str, what: &str) -> Parsed<PathBuf> {
    match text.contains(char::is_control) {
        true => Err(format!("must be the path of {what}")),
        false => Ok(text.into()),
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

/// Stands in the place of a secret.
const MASK: &str = "***";

impl Row {
    /// The setting that names a file with the value of this one.
    pub fn file_name(&self) -> Option<String> {
        self.is_secret.then(|| format!("{}_FILE", self.name))
    }

    /// The value as it may be shown.
    pub fn shown(&self, value: &str) -> String {
        if !self.is_secret {
            return value.to_owned();
        }
        if let Ok(url) = value.parse::<DatabaseUrl>() {
            return format!("{url:?}");
        }
        masked_url(value).unwrap_or_else(|| MASK.to_owned())
    }

    /// Whether the value holds a secret.
    pub fn hides(&self, value: &str) -> bool {
        self.shown(value) != value
    }
}

/// Without the password, or a user name that stands alone; and of a web address without
/// the path too, because whoever knows a webhook's can post to it.
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
    url.set_fragment(None);
    // As it was written where there is nothing to hide.
    Some(if url == whole {
        value.to_owned()
    } else {
        url.into()
    })
}

#[cfg(test)]
mod tests {
    use crate::config::rows;

    #[test]
    fn secrets_are_masked_and_the_rest_is_shown_as_it_is() {
        for (name, value, expected) in [
            ("FRONTDOOR_LISTEN", "[::]:80", "[::]:80"),
            ("DATABASE_URL", "sqlite:///a/b.db", "sqlite:///a/b.db"),
            (
                "DATABASE_URL",
                "postgres://me:hush@db1:5432,db2/x?sslmode=require",
                "postgres://db1,db2/x",
            ),
            (
                "DATABASE_URL",
                "mysql://me:hush@db/x",
                "mysql://me:***@db/x",
            ),
            (
                "FRONTDOOR_SMTP_URL",
                "smtps://me%40x:hush@m.ca:465",
                "smtps://me%40x:***@m.ca:465",
            ),
            (
                "FRONTDOOR_SMTP_URL",
                "smtp://mail.example",
                "smtp://mail.example",
            ),
            ("FRONTDOOR_SMTP_URL", "hush", "***"),
            (
                "FRONTDOOR_SMTP_URL",
                "smtps://hush@m.ca",
                "smtps://***@m.ca",
            ),
            (
                "FRONTDOOR_WEBHOOK_URL",
                "https://h.ca/hush?key=hush",
                "https://h.ca/***",
            ),
            ("FRONTDOOR_WEBHOOK_SECRET", "whsec_hush", "***"),
            ("FRONTDOOR_WEBHOOK_HEADER", "X-Token: hush", "***"),
        ] {
            let rows = rows();
            let row = rows.iter().find(|row| row.name == name).expect(name);
            assert_eq!(row.shown(value), expected, "{name}");
        }
    }
}
