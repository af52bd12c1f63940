//! All settings as a list, made from the same rows as flags and help: for what
//! prints, documents or writes them.

use std::ffi::OsStr;

use clap::{Arg, Args as _, Command};
use url::Url;

use super::ServeArgs;
use crate::store::DatabaseUrl;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// One setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its variable, which is its name in the settings file too.
    pub name: String,
    /// Without the dashes.
    pub flag: String,
    /// What it is about, with the settings it belongs to.
    pub heading: String,
    pub help: String,
    /// In words: not always a value.
    pub default: String,
    /// May carry a password or a key: can be given as a file, and is not shown.
    pub is_secret: bool,
}

/// In the order of the help.
pub fn rows() -> Vec<Row> {
    let command = ServeArgs::augment_args(Command::new("serve"));
    command.get_arguments().filter_map(Row::of).collect()
}

impl Row {
    /// `None` for a flag that has no variable.
    fn of(arg: &Arg) -> Option<Self> {
        let help = arg.get_help()?.to_string();
        let (help, default) = help.split_once(" [default: ")?;
        Some(Self {
            name: arg.get_env().and_then(OsStr::to_str)?.to_owned(),
            flag: arg.get_long()?.to_owned(),
            heading: arg.get_help_heading().unwrap_or_default().to_owned(),
            help: help.to_owned(),
            default: default.trim_end_matches(']').to_owned(),
            is_secret: arg.is_hide_env_values_set(),
        })
    }

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

    /// Whether whoever reads the value learns a secret.
    pub fn hides(&self, value: &str) -> bool {
        self.shown(value) != value
    }
}

/// Without what opens doors: the password, or a name that stands there alone; and of
/// a web address the path too, because whoever knows a webhook's can post to it.
fn masked_url(value: &str) -> Option<String> {
    let mut url = Url::parse(value).ok().filter(Url::has_host)?;
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
    let same = Url::parse(value).is_ok_and(|whole| whole == url);
    Some(if same { value.to_owned() } else { url.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(name: &str, value: &str) -> String {
        let rows = rows();
        let row = rows.iter().find(|row| row.name == name).expect(name);
        assert_eq!(row.hides(value), row.shown(value) != value);
        row.shown(value)
    }

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
                "smtps://me%40x:hush@mail.example:465",
                "smtps://me%40x:***@mail.example:465",
            ),
            (
                "FRONTDOOR_SMTP_URL",
                "smtp://mail.example",
                "smtp://mail.example",
            ),
            ("FRONTDOOR_SMTP_URL", "hush", "***"),
            (
                "FRONTDOOR_SMTP_URL",
                "smtps://hush@mail.example",
                "smtps://***@mail.example",
            ),
            (
                "FRONTDOOR_WEBHOOK_URL",
                "https://hooks.example/hush?key=hush",
                "https://hooks.example/***",
            ),
            ("FRONTDOOR_WEBHOOK_SECRET", "whsec_hush", "***"),
            ("FRONTDOOR_WEBHOOK_HEADER", "X-Token: hush", "***"),
        ] {
            assert_eq!(shown(name, value), expected, "{name}");
        }
    }

    #[test]
    fn every_row_has_what_a_settings_file_says_of_it() {
        for row in rows() {
            let whole = [&row.name, &row.flag, &row.heading, &row.help, &row.default];
            assert!(whole.iter().all(|text| !text.is_empty()), "{row:?}");
        }
    }
}
