//! A contact form as it comes in, before anything about it is checked.

use serde::Deserialize;

use super::form_body::{self, Fields, Format, Lenient, Refusal};
use crate::domain::{ContactForm, HoldReason, RawSource};

/// From opening the page to sending, with autofill and a paste: no person is
/// faster, and better a program slips through than a person waits.
const FASTEST_PERSON_MS: f64 = 300.0;

/// The visitor's words and what came with them.
#[derive(Default)]
pub struct Submission {
    pub name: String,
    pub email: String,
    pub phone: String,
    pub message: String,
    pub form_location: String,
    pub idempotency_key: String,
    pub source: RawSource,
    /// A field that no visitor sees.
    decoy: String,
    /// Time from opening the page to sending; without JavaScript nobody
    /// measures it.
    elapsed_ms: Option<f64>,
}

/// Unknown keys are ignored, null is absent, other types are refused.
#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct Json {
    name: Option<String>,
    email: Option<String>,
    phone: Option<String>,
    message: Option<String>,
    form_location: Option<String>,
    idempotency_key: Option<String>,
    source: Lenient<RawSource>,
    leave_empty: Lenient<String>,
    elapsed_ms: Lenient<f64>,
}

impl Submission {
    pub fn parse(format: Format, bytes: &[u8]) -> Result<Self, Refusal> {
        match format {
            Format::Json => form_body::json(bytes).map(Self::from_json),
            Format::Form => Fields::parse(bytes).map(Self::from_fields),
        }
    }

    fn from_json(json: Json) -> Self {
        Self {
            name: json.name.unwrap_or_default(),
            email: json.email.unwrap_or_default(),
            phone: json.phone.unwrap_or_default(),
            message: json.message.unwrap_or_default(),
            form_location: json.form_location.unwrap_or_default(),
            idempotency_key: json.idempotency_key.unwrap_or_default(),
            source: json.source.value().unwrap_or_default(),
            decoy: json.leave_empty.value().unwrap_or_default(),
            elapsed_ms: json.elapsed_ms.value(),
        }
    }

    fn from_fields(mut fields: Fields) -> Self {
        let mut text = |name| fields.take(name).unwrap_or_default();
        Self {
            name: text("name"),
            email: text("email"),
            phone: text("phone"),
            message: text("message"),
            form_location: text("form_location"),
            idempotency_key: text("idempotency_key"),
            decoy: text("leave_empty"),
            elapsed_ms: text("elapsed_ms").trim().parse().ok(),
            source: RawSource {
                landing_path: fields.take("landing_path"),
                referrer_host: fields.take("referrer_host"),
                utm_source: fields.take("utm_source"),
                utm_medium: fields.take("utm_medium"),
                utm_campaign: fields.take("utm_campaign"),
                utm_term: fields.take("utm_term"),
                utm_content: fields.take("utm_content"),
            },
        }
    }

    pub fn contact(&self) -> ContactForm<'_> {
        ContactForm {
            name: &self.name,
            email: &self.email,
            phone: &self.phone,
            message: &self.message,
            form_location: &self.form_location,
        }
    }

    /// Why it looks as if no person had filled it in.
    pub fn hold_reason(&self) -> Option<HoldReason> {
        if !self.decoy.trim().is_empty() {
            return Some(HoldReason::Decoy);
        }
        let too_fast = self
            .elapsed_ms
            .is_some_and(|elapsed| elapsed < FASTEST_PERSON_MS);
        too_fast.then_some(HoldReason::TooFast)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn json(text: &str) -> Submission {
        Submission::parse(Format::Json, text.as_bytes()).expect("a body of the right shape")
    }

    #[test]
    fn both_formats_carry_the_same_words() {
        let from_json = json(
            r#"{"name":"Ada","email":"a@b.c","message":"Hi","form_location":"homepage","other":1}"#,
        );
        let form = b"name=Ada&email=a%40b.c&message=Hi&form_location=homepage&other=1";
        let from_form = Submission::parse(Format::Form, form).unwrap_or_default();
        for submission in [from_json, from_form] {
            let form = submission.contact();
            let words = [
                form.name,
                form.email,
                form.phone,
                form.message,
                form.form_location,
            ];
            assert_eq!(words, ["Ada", "a@b.c", "", "Hi", "homepage"]);
        }
    }

    #[test]
    fn a_field_of_another_type_is_a_wrong_shape_and_null_is_absent() {
        assert!(Submission::parse(Format::Json, br#"{"name":1}"#).is_err());
        assert!(Submission::parse(Format::Json, b"[]").is_err());
        assert!(Submission::parse(Format::Json, b"\"x\"").is_err());
        assert_eq!(json(r#"{"phone":null}"#).phone, "");
    }

    #[test]
    fn the_decoy_and_the_stop_watch_hold_a_lead_back() {
        assert_eq!(
            json(r#"{"leave_empty":"x"}"#).hold_reason(),
            Some(HoldReason::Decoy)
        );
        assert_eq!(json(r#"{"leave_empty":" "}"#).hold_reason(), None);
        assert_eq!(
            json(r#"{"elapsed_ms":299}"#).hold_reason(),
            Some(HoldReason::TooFast)
        );
        assert_eq!(json(r#"{"elapsed_ms":300}"#).hold_reason(), None);
        assert_eq!(json("{}").hold_reason(), None);
    }

    #[test]
    fn odd_extras_never_cost_a_lead() {
        let odd = json(r#"{"name":"Ada","source":[1],"elapsed_ms":"soon","leave_empty":{}}"#);
        assert_eq!(odd.name, "Ada");
        assert_eq!(odd.hold_reason(), None);
        assert_eq!(odd.source, RawSource::default());
    }

    #[test]
    fn the_first_touch_is_taken_along() {
        let submission = json(r#"{"source":{"utm_source":"news","referrer_host":7}}"#);
        assert_eq!(submission.source.utm_source.as_deref(), Some("news"));
        assert_eq!(submission.source.referrer_host, None);
    }

    proptest! {
        #[test]
        fn any_json_object_is_understood_or_refused(name in any::<String>(), elapsed in any::<f64>()) {
            let body = serde_json::json!({ "name": name, "elapsed_ms": elapsed }).to_string();
            prop_assert_eq!(json(&body).name, name);
        }
    }
}
