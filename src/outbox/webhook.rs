//! Deliveries to the automation webhook, per Standard Webhooks.
//!
//! 2xx accepts. 410 gives up at once. Everything else is tried again, 404
//! above all: automation tools answer it for a while after a restart.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use serde::{Serialize, Serializer};
use sha2::Sha256;
use url::Url;

use super::lead_headers;
use super::sender::{Sender, Verdict};
use crate::calls::{self, cause};
use crate::config::WebhookSettings;
use crate::store::{About, Claim, DeliveryKind, Lead};

/// For the whole call, from the connection to the last byte read.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// A little of the answer is read so that the connection can be used again.
const MOST_READ: usize = 16 * 1024;

pub struct Webhook {
    client: reqwest::Client,
    patience: Duration,
    url: Url,
    key: Option<Vec<u8>>,
    header: Option<(HeaderName, HeaderValue)>,
}

/// What is passed on of what the visitor typed. The contract fixes it, whatever
/// else the form asks for: receivers may refuse what they do not know.
const PASSED_ON: [&str; 4] = ["name", "email", "phone", "message"];

/// The body, in the order of the contract. What was not given is empty:
/// receivers that expect text need no special case.
struct Payload<'a>(&'a Lead);

impl Serialize for Payload<'_> {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        let facts = self.0.facts();
        let typed = facts.typed.into_iter();
        let sent = typed
            .filter(|fact| PASSED_ON.contains(&fact.name))
            .chain([facts.form]);
        output.collect_map(sent.map(|fact| (camel_case(fact.name), fact.value.unwrap_or_default())))
    }
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |start, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        start + &initial.to_ascii_uppercase() + rest
    })
}

impl Webhook {
    pub fn new(settings: &WebhookSettings) -> anyhow::Result<Self> {
        Self::with_patience(settings, TIMEOUT)
    }

    /// For less than is usual: a test need not wait so long.
    pub fn with_patience(settings: &WebhookSettings, patience: Duration) -> anyhow::Result<Self> {
        Ok(Self {
            client: calls::http::builder(patience)?.build()?,
            patience,
            url: settings.url.reveal().clone(),
            key: settings.secret.as_ref().map(|key| key.reveal().clone()),
            header: settings
                .header
                .as_ref()
                .map(|(name, value)| (name.clone(), value.reveal().clone())),
        })
    }

    async fn post(&self, claim: &Claim, now: Timestamp) -> anyhow::Result<Verdict> {
        let About::Lead(lead) = &claim.about else {
            anyhow::bail!("the webhook gets leads only");
        };
        let headers = lead_headers::headers(claim.kind, lead);
        self.call(&claim.delivery_id, headers, lead, now).await
    }

    /// A call with a lead of nobody's, marked as a test: would a lead be taken?
    pub async fn test(&self, now: Timestamp) -> Verdict {
        let lead = Lead {
            name: "frontdoor check".into(),
            email: "check@frontdoor.invalid".into(),
            message: "A test by frontdoor check --live.".into(),
            form_location: "contact".into(),
            ..Lead::default()
        };
        let id = format!("test_{}", uuid::Uuid::new_v4());
        let called = self.call(&id, lead_headers::of_a_test(), &lead, now).await;
        self.verdict(called)
    }

    async fn call(
        &self,
        id: &str,
        headers: HeaderMap,
        lead: &Lead,
        now: Timestamp,
    ) -> anyhow::Result<Verdict> {
        let body = serde_json::to_vec(&Payload(lead))?;
        let timestamp = now.as_second();
        let mut request = self
            .client
            .post(self.url.clone())
            .headers(headers)
            .header(CONTENT_TYPE, "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp);
        if let Some(key) = &self.key {
            let signature = sign(key, id, timestamp, &body)?;
            request = request.header("webhook-signature", signature);
        }
        if let Some((name, value)) = &self.header {
            request = request.header(name, value);
        }
        let mut response = request.body(body).send().await?;
        let verdict = judge(response.status(), response.headers(), now);
        // The status decides; what happens to the rest does not matter.
        let mut read = 0;
        while let Ok(Some(chunk)) = response.chunk().await {
            read += chunk.len();
            if read > MOST_READ {
                break;
            }
        }
        Ok(verdict)
    }

    fn verdict(&self, called: anyhow::Result<Verdict>) -> Verdict {
        called.unwrap_or_else(|error| match is_timeout(&error) {
            true => Verdict::timed_out(self.patience),
            false => {
                let words = cause::words(error.as_ref());
                Verdict::failed(format!("the webhook did not take it: {words}"))
            }
        })
    }
}

impl Sender for Webhook {
    const KINDS: &'static [DeliveryKind] = &[
        DeliveryKind::Webhook,
        DeliveryKind::DueWebhook,
        DeliveryKind::FaultWebhook,
    ];
    // The client keeps the real limit: it ends the reading of an answer whose
    // status has been seen, where a cut-off here would forget the status.
    const TIME_LIMIT: Duration = Duration::from_secs(TIMEOUT.as_secs() + 2);

    async fn send(&self, claim: &Claim, now: Timestamp) -> Verdict {
        self.verdict(self.post(claim, now).await)
    }
}

/// `v1,` and the base64 of the HMAC-SHA256 over id, time and body.
pub fn sign(key: &[u8], id: &str, timestamp: i64, body: &[u8]) -> anyhow::Result<String> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
    mac.update(format!("{id}.{timestamp}.").as_bytes());
    mac.update(body);
    let signature = STANDARD.encode(mac.finalize().into_bytes());
    Ok(format!("v1,{signature}"))
}

fn judge(status: StatusCode, headers: &HeaderMap, now: Timestamp) -> Verdict {
    let reason = format!("status {}", status.as_u16());
    match status {
        _ if status.is_success() => Verdict::Accepted,
        StatusCode::GONE => Verdict::Refused { reason },
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => Verdict::Failed {
            reason,
            retry_after: headers
                .get(RETRY_AFTER)
                .and_then(|value| retry_after(value.to_str().ok()?, now)),
        },
        _ => Verdict::failed(reason),
    }
}

/// Seconds, or a date.
fn retry_after(value: &str, now: Timestamp) -> Option<Duration> {
    let value = value.trim();
    if let Ok(seconds) = value.parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
    Duration::try_from(date.duration_since(now)).ok()
}

fn is_timeout(error: &anyhow::Error) -> bool {
    let call = error.downcast_ref::<reqwest::Error>();
    call.is_some_and(reqwest::Error::is_timeout)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The example of the Standard Webhooks specification's libraries.
    #[test]
    fn the_signature_matches_the_published_vector() {
        let key = STANDARD.decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = sign(
            &key,
            "msg_p5jXN8AQM9LWM0D4loKWxJek",
            1_614_265_330,
            br#"{"test": 2432232314}"#,
        );
        assert_eq!(
            signature.unwrap(),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn the_fields_of_the_contract_are_passed_on_and_no_other() {
        let (lead, typed) = Lead::with_every_field();
        let payload = serde_json::to_value(Payload(&lead)).unwrap();
        for (field, words) in typed {
            let sent = PASSED_ON.contains(&field.name).then_some(words);
            assert_eq!(
                payload.get(field.name).and_then(|it| it.as_str()),
                sent.as_deref()
            );
        }
        assert_eq!(payload.as_object().unwrap().len(), PASSED_ON.len() + 1);
    }

    #[test]
    fn the_keys_are_written_as_the_contract_has_them() {
        assert_eq!(camel_case("form_location"), "formLocation");
        assert_eq!(camel_case("name"), "name");
    }

    fn verdict(status: u16, retry_after: &'static str) -> Verdict {
        let mut headers = HeaderMap::new();
        headers.insert(RETRY_AFTER, HeaderValue::from_static(retry_after));
        let now = "2026-03-01T12:00:00Z".parse().unwrap();
        judge(StatusCode::from_u16(status).unwrap(), &headers, now)
    }

    #[test]
    fn only_2xx_accepts_and_only_410_gives_up() {
        for status in 100..600 {
            let accepted = verdict(status, "") == Verdict::Accepted;
            assert_eq!(accepted, (200..300).contains(&status), "{status}");
            let refused = matches!(verdict(status, ""), Verdict::Refused { .. });
            assert_eq!(refused, status == 410, "{status}");
        }
    }

    #[test]
    fn retry_after_is_read_as_seconds_or_date_on_429_and_503() {
        let asked = |status, value| match verdict(status, value) {
            Verdict::Failed { retry_after, .. } => retry_after.map(|time| time.as_secs()),
            other => panic!("{other:?}"),
        };
        assert_eq!(asked(429, "120"), Some(120));
        assert_eq!(asked(503, "Sun, 01 Mar 2026 12:01:00 GMT"), Some(60));
        assert_eq!(asked(503, "Sun, 01 Mar 2026 11:00:00 GMT"), None);
        assert_eq!(asked(503, "soon"), None);
        assert_eq!(asked(500, "120"), None);
    }

    proptest! {
        #[test]
        fn any_retry_after_is_read_without_a_panic(value in any::<String>()) {
            let _ = retry_after(&value, Timestamp::UNIX_EPOCH);
        }
    }
}
