//! The automation that receives every lead.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use url::Url;

use super::Secret;
use super::parse::{Parsed, web_url};
use super::setting::settings;

/// The bytes behind `whsec_…`.
pub type WebhookSecret = Secret<Vec<u8>>;

settings! {
    WebhookArgs in "Webhook" => Option<WebhookSettings> {
        /// Automation webhook that receives every lead; without it leads are only
        /// stored
        #[arg(env = "FRONTDOOR_WEBHOOK_URL", value_name = "URL", hide_env_values = true)]
        webhook_url => url: Secret<Url> = url, or off;

        /// Signs webhook deliveries (Standard Webhooks): `whsec_` and the base64
        /// of 24 to 64 random bytes
        #[arg(env = "FRONTDOOR_WEBHOOK_SECRET", value_name = "SECRET", hide_env_values = true)]
        webhook_secret => secret: Option<WebhookSecret> = secret, or none;

        /// One fixed header for webhook deliveries, for receivers that cannot
        /// check signatures: `Name: value`
        #[arg(env = "FRONTDOOR_WEBHOOK_HEADER", value_name = "HEADER", hide_env_values = true)]
        webhook_header => header: Option<(HeaderName, Secret<HeaderValue>)> = header, or none;
    }
}

/// Whoever knows it can post to it.
fn url(text: &str) -> Parsed<Secret<Url>> {
    web_url(text).map(Secret::new)
}

fn secret(text: &str) -> Parsed<WebhookSecret> {
    text.strip_prefix("whsec_")
        .and_then(|key| STANDARD.decode(key).ok())
        .filter(|key| (24..=64).contains(&key.len()))
        .map(Secret::new)
        .ok_or_else(|| "must be `whsec_` followed by the base64 of 24 to 64 bytes".into())
}

fn header(text: &str) -> Parsed<(HeaderName, Secret<HeaderValue>)> {
    let wrong = || "must be one header, like `X-Token: value`".to_owned();
    let (name, value) = text.split_once(':').ok_or_else(wrong)?;
    let name = HeaderName::try_from(name.trim()).map_err(|_| wrong())?;
    let mut value = HeaderValue::try_from(value.trim()).map_err(|_| wrong())?;
    value.set_sensitive(true);
    if value.is_empty() {
        return Err(wrong());
    }
    Ok((name, Secret::new(value)))
}
