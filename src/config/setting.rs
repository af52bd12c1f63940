//! A setting is one row: its flag, its variable, its help with the default,
//! how it is read and where its value stands all come from there.
//!
//! Every value is taken as text and checked in one place, so that a wrong one
//! ends in the same clear line whether it came from a flag or the environment.

/// One setting cannot be used. Displays as the line for the owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct ConfigError {
    pub setting: &'static str,
    pub problem: String,
}

/// Settings under one heading of the help. `Args` holds the texts as they were
/// given; its `load` checks all of them and makes the values.
///
/// `flag => value: type = parser, or …` says what holds when nothing is set:
/// a text that is read like any other, a function, `none` (the value is an
/// `Option`), or `off`: without this setting there is nothing of the whole
/// group. `as` puts it into words for the help.
macro_rules! settings {
    ($args:ident in $heading:literal => Option<$settings:ident> $rows:tt) => {
        settings!(@group $args $heading $settings (Option<$settings>) (Some) $rows);
    };
    ($args:ident in $heading:literal => $settings:ident $rows:tt) => {
        settings!(@group $args $heading $settings ($settings) (std::convert::identity) $rows);
    };

    (@group $args:ident $heading:literal $settings:ident ($loaded:ty) ($wrap:path) {$(
        $(#[doc = $help:literal])+
        #[arg(env = $env:literal $($arg:tt)*)]
        $flag:ident => $value:ident: $type:ty = $parse:path, or $default:tt $(as $words:literal)?;
    )+}) => {
        #[derive(clap::Args, Debug, Clone, Default)]
        pub struct $args {$(
            #[arg(
                long,
                env = $env
                $($arg)*,
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
        }
    };

    (@shown off) => { "none" };
    (@shown none) => { "none" };
    (@shown $default:literal) => { $default };
    (@shown $default:tt as $words:literal) => { $words };

    (@read $env:literal, $text:expr, $parse:path, off) => {
        $crate::config::setting::read($env, $text, $parse)
    };
    (@read $env:literal, $text:expr, $parse:path, none) => {
        $crate::config::setting::read($env, $text, $parse)
    };
    (@read $env:literal, $text:expr, $parse:path, $default:literal) => {
        $crate::config::setting::read_or($env, $text, $parse, || $parse($default))
    };
    (@read $env:literal, $text:expr, $parse:path, $default:ident) => {
        $crate::config::setting::read_or($env, $text, $parse, $default)
    };

    (@need $value:ident off) => {
        let Some($value) = $value else {
            return Ok(None);
        };
    };
    (@need $value:ident $default:tt) => {};
}
pub(super) use settings;

/// The value of one setting: `None` when it is not set.
pub fn read<T>(
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

pub fn read_or<T>(
    setting: &'static str,
    text: &Option<String>,
    parse: impl FnOnce(&str) -> Result<T, String>,
    default: impl FnOnce() -> Result<T, String>,
) -> Result<T, ConfigError> {
    match read(setting, text, parse)? {
        Some(value) => Ok(value),
        None => default().map_err(|problem| ConfigError { setting, problem }),
    }
}
