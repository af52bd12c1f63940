//! Deliveries to the automation webhook, following Standard Webhooks.
//!
//! 2xx accepts, 410 gives up at once. Any other status is retried, even 404: automation tools
//! return it for a while after a restart.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde::Serialize;
use sha2::Sha256;

use super::worker::{SendResult, Sender};
use crate::calls;
use crate::config::WebhookSettings;
use crate::store::{Claim, ClaimedContent, DeliveryKind, Lead};

const EVENT: HeaderName = HeaderName::from_static("frontdoor-event");

/// ASCII characters that are percent-encoded in headers, like everything outside ASCII.
const ESCAPED: &AsciiSet = &CONTROLS.add(b' ');

/// Covers the whole call, from connecting to the last byte read.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// How much of the response is read, so that the connection can be reused.
const MAX_READ: usize = 16 * 1024;

pub struct Webhook {
    client: reqwest::Client,
    limit: Duration,
    settings: WebhookSettings,
}

/// The body, with exactly the fields of the contract in its order: receivers may reject unknown
/// ones. A missing phone number is empty.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Payload<'a> {
    name: &'a str,
    email: &'a str,
    phone: &'a str,
    message: &'a str,
    form_location: &'a str,
}

impl Webhook {
    pub fn new(settings: &WebhookSettings) -> anyhow::Result<Self> {
        Self::with_limit(settings, TIMEOUT)
    }

    /// Uses a shorter timeout, for tests.
    pub fn with_limit(settings: &WebhookSettings, limit: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            client: calls::http_client(limit)?.build()?,
            limit,
            settings: settings.clone(),
        })
    }

    /// Sends an invented lead, marked as a test.
    pub async fn test(&self, now: Timestamp) -> SendResult {
        let lead = Lead {
            name: "frontdoor check".into(),
            email: "check@frontdoor.invalid".into(),
            message: "A test by frontdoor check --live.".into(),
            form_location: "contact".into(),
            ..Lead::default()
        };
        let id = format!("test_{}", uuid::Uuid::new_v4());
        let event = HeaderMap::from_iter([(EVENT, HeaderValue::from_static("test"))]);
        self.post(&id, event, &lead, now).await
    }

    async fn post(&self, id: &str, headers: HeaderMap, lead: &Lead, now: Timestamp) -> SendResult {
        let result = self.call(id, headers, lead, now).await;
        result.unwrap_or_else(|error| {
            let call = error.downcast_ref::<reqwest::Error>();
            if call.is_some_and(reqwest::Error::is_timeout) {
                return SendResult::timed_out(self.limit);
            }
            let reason = calls::reason(error.as_ref());
            SendResult::failed(format!("the webhook did not accept it: {reason}"))
        })
    }

    async fn call(
        &self,
        id: &str,
        headers: HeaderMap,
        lead: &Lead,
        now: Timestamp,
    ) -> anyhow::Result<SendResult> {
        let body = serde_json::to_vec(&Payload {
            name: &lead.name,
            email: &lead.email,
            phone: lead.phone.as_deref().unwrap_or_default(),
            message: &lead.message,
            form_location: &lead.form_location,
        })?;
        let (settings, timestamp) = (&self.settings, now.as_second());
        let mut request = self
            .client
            .post(settings.url.reveal().clone())
            .headers(headers)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp);
        if let Some(key) = &settings.secret {
            let signature = sign(key.reveal(), id, timestamp, &body)?;
            request = request.header("webhook-signature", signature);
        }
        if let Some((name, value)) = &settings.header {
            request = request.header(name, value.reveal());
        }
        let mut response = request.body(body).send().await?;
        let result = judge(response.status(), response.headers(), now);
        // Only the status matters; the rest is read to keep the connection.
        let mut read = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            read += chunk.len();
            if read > MAX_READ {
                break;
            }
        }
        Ok(result)
    }
}

impl Sender for Webhook {
    const KINDS: &'static [DeliveryKind] = &[
        DeliveryKind::LeadWebhook,
        DeliveryKind::ReminderWebhook,
        DeliveryKind::FaultWebhook,
    ];
    // Longer than the client's timeout: if reading the body times out, the status isn't lost.
    const SEND_TIMEOUT: Duration = Duration::from_secs(TIMEOUT.as_secs() + 2);

    async fn send(&self, claim: &Claim, now: Timestamp) -> SendResult {
        let (Some(event), ClaimedContent::Lead(lead)) = (event(claim.kind), &claim.content) else {
            return SendResult::Refused("the webhook gets leads only".into());
        };
        let headers = lead_headers(event, lead);
        self.post(&claim.delivery_id, headers, lead, now).await
    }
}

/// The event of a delivery to the webhook; `None` for mails.
fn event(kind: DeliveryKind) -> Option<&'static str> {
    match kind {
        DeliveryKind::LeadWebhook => Some("lead.created"),
        DeliveryKind::ReminderWebhook => Some("lead.due"),
        // About a lead that couldn't be mailed to the owner.
        DeliveryKind::FaultWebhook => Some("delivery.failing"),
        _ => None,
    }
}

/// The headers with the event, the lead's id and time, and its source.
fn lead_headers(event: &'static str, lead: &Lead) -> HeaderMap {
    let mut headers = HeaderMap::from_iter([(EVENT, HeaderValue::from_static(event))]);
    let mut add = |name: &'static str, value: &str| {
        let escaped = utf8_percent_encode(value, ESCAPED).to_string();
        if let Ok(value) = HeaderValue::try_from(escaped) {
            headers.insert(name, value);
        }
    };
    add("frontdoor-lead-id", &lead.id);
    add("frontdoor-lead-time", &lead.created_at.to_string());
    for (header, fact) in [
        ("frontdoor-landing-path", "landing_path"),
        ("frontdoor-referrer", "referrer_host"),
        ("frontdoor-campaign", "utm_campaign"),
    ] {
        if let Some(value) = lead.source.get(fact) {
            add(header, value);
        }
    }
    headers
}

/// `v1,` and the base64 of the HMAC-SHA256 of id, time and body.
pub fn sign(key: &[u8], id: &str, timestamp: i64, body: &[u8]) -> anyhow::Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    Ok(format!("v1,{signature}"))
}

fn judge(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> SendResult {
    let reason = format!("status {}", status.as_u16());
    match status {
        _ if status.is_success() => SendResult::Accepted,
        StatusCode::GONE => SendResult::Refused(reason),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => SendResult::Failed {
            reason,
            retry_after: headers
                .get(RETRY_AFTER)
                .and_then(|value| retry_after(value.to_str().ok()?, now)),
        },
        _ => SendResult::failed(reason),
    }
}

/// Parses a number of seconds or a date.
fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Duration::try_from(date.duration_since(now)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example from the libraries of the Standard Webhooks specification.
    #[test]
    fn the_signature_matches_the_published_vector() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let (id, time) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330);
        let signature = sign(&key, id, time, br#"{"test": 2432232314}"#).unwrap();
        let published = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(signature, published);
    }

    fn judged(status: u16, retry_after: &'static str) -> SendResult {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after));
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        judge(StatusCode::from_u16(status).unwrap(), &headers, now)
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date_on_429_and_503() {
        let asked = |status, value| match judged(status, value) {
            SendResult::Failed { retry_after, .. } => retry_after.map(|time| time.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(asked(429, "120"), Some(120));
        assert_eq!(asked(503, "Sun, 01 Mar 2026 12:01:00 GMT"), Some(60));
        assert_eq!(asked(503, "Sun, 01 Mar 2026 11:00:00 GMT"), None);
        assert_eq!(asked(503, "soon"), None);
        assert_eq!(asked(500, "120"), None);
    }
}
