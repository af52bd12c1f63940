//! Who raises the alarm when the server is silent.

use url::Url;

use super::Secret;
use super::parse::{Parsed, web_url};
use super::setting::settings;

settings! {
    AliveArgs in "Watching" => Option<AliveSettings> {
        /// Address that is asked every five minutes while leads can be stored:
        /// whoever is behind it raises the alarm when the calls stop
        #[arg(env = "FRONTDOOR_ALIVE_URL", value_name = "URL", hide_env_values = true)]
        alive_url => url: Secret<Url> = url, or off;
    }
}

/// Whoever knows it can keep the alarm quiet.
fn url(text: &str) -> Parsed<Secret<Url>> {
    web_url(text).map(Secret::new)
}
