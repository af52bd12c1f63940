//! A contact form as it comes in, before anything about it is checked.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use uuid::Uuid;

use super::form_body::Unusable;
use super::intake::Filled;
use super::posted::Posted;
use crate::content::Fields;
use crate::domain::{ContactForm, HoldReason, Source};

/// What comes along from the page.
const CARRIED: &[&str] = &["form_location", "idempotency_key"];

/// From opening the page to sending, with autofill and a paste: no person is
/// faster, and better a program slips through than a person waits.
const FASTEST_PERSON_MS: f64 = 300.0;

/// The visitor's words and what came with them.
#[derive(Default)]
pub struct ContactPost {
    texts: HashMap<&'static str, String>,
    pub source: Source,
    /// Why it looks as if no person had filled it in.
    pub hold: Option<HoldReason>,
    /// From opening the page to sending; without JavaScript nobody measures it.
    pub elapsed: Option<Duration>,
}

impl ContactPost {
    pub fn text(&self, name: &str) -> &str {
        debug_assert!(
            Fields::NAMES.contains(&name) || CARRIED.contains(&name),
            "{name}"
        );
        self.texts.get(name).map_or("", String::as_str)
    }

    pub fn contact(&self) -> ContactForm<'_> {
        ContactForm::of(|name| self.text(name))
    }
}

impl Filled for ContactPost {
    fn read(posted: &Posted<'_>) -> Result<Self, Unusable> {
        let names = [Fields::NAMES, CARRIED].concat().into_iter();
        let texts = names.map(|name| Ok((name, posted.text(name)?)));
        let elapsed: Option<f64> = posted.lenient("elapsed_ms")?;
        Ok(Self {
            texts: texts.collect::<Result<_, Unusable>>()?,
            source: Source::from_values(posted.group("source", Source::FIELDS)?),
            hold: hold_reason(posted, elapsed)?,
            elapsed: elapsed.and_then(|ms| Duration::try_from_secs_f64(ms / 1000.0).ok()),
        })
    }

    fn typed(&self) -> Vec<(&'static str, &str)> {
        let names = Fields::NAMES.iter();
        names.map(|name| (*name, self.text(name))).collect()
    }

    /// The page's form gets a key of its own, so that sending it twice stores
    /// one lead.
    fn carried(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        let word = |name| match (name, self.text(name)) {
            ("idempotency_key", "") => Uuid::new_v4().to_string().into(),
            (_, text) => text.into(),
        };
        CARRIED.iter().map(|name| (*name, word(*name))).collect()
    }
}

fn hold_reason(posted: &Posted<'_>, elapsed: Option<f64>) -> Result<Option<HoldReason>, Unusable> {
    // A field that no visitor sees.
    let decoy: Option<String> = posted.lenient("leave_empty")?;
    Ok(if decoy.is_some_and(|decoy| !decoy.trim().is_empty()) {
        Some(HoldReason::Decoy)
    } else if elapsed.is_some_and(|elapsed| elapsed < FASTEST_PERSON_MS) {
        Some(HoldReason::TooFast)
    } else {
        None
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::form_body::Format;
    use super::*;

    fn read(format: Format, body: &str) -> Result<ContactPost, Unusable> {
        ContactPost::read(&Posted::parse(format, body.as_bytes())?)
    }

    fn json(text: &str) -> ContactPost {
        read(Format::Json, text).expect("a body of the right shape")
    }

    #[test]
    fn both_formats_carry_the_same_words() {
        let from_json = json(
            r#"{"name":"Ada","email":"a@b.c","message":"Hi","form_location":"homepage","other":1}"#,
        );
        let form = "name=Ada&email=a%40b.c&message=Hi&form_location=homepage&other=1";
        let from_form = read(Format::Form, form).unwrap();
        for post in [from_json, from_form] {
            let form = post.contact();
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
        for wrong in [r#"{"name":1}"#, "[]", "\"x\"", r#"{"name":"a","name":"b"}"#] {
            assert!(read(Format::Json, wrong).is_err(), "{wrong}");
        }
        assert_eq!(json(r#"{"phone":null}"#).text("phone"), "");
    }

    #[test]
    fn the_decoy_and_the_stop_watch_hold_a_lead_back() {
        let hold = |text| json(text).hold;
        assert_eq!(hold(r#"{"leave_empty":"x"}"#), Some(HoldReason::Decoy));
        assert_eq!(hold(r#"{"leave_empty":" "}"#), None);
        assert_eq!(hold(r#"{"elapsed_ms":299}"#), Some(HoldReason::TooFast));
        assert_eq!(hold(r#"{"elapsed_ms":300}"#), None);
        assert_eq!(hold("{}"), None);
        let form = read(Format::Form, "elapsed_ms=+12.5+").unwrap();
        assert_eq!(form.hold, Some(HoldReason::TooFast));
    }

    #[test]
    fn odd_extras_never_cost_a_lead() {
        let odd = json(r#"{"name":"Ada","source":[1],"elapsed_ms":"soon","leave_empty":{}}"#);
        assert_eq!(odd.text("name"), "Ada");
        assert_eq!(odd.hold, None);
        assert_eq!(odd.source, Source::default());
    }

    #[test]
    fn the_first_touch_is_taken_along() {
        let post = json(r#"{"source":{"utm_source":"news","referrer_host":7,"new":[]}}"#);
        let known: Vec<_> = post.source.known().collect();
        assert_eq!(known, [("utm_source", "news")]);
    }

    #[test]
    fn a_form_has_every_value_of_the_first_touch_beside_the_rest() {
        let body = Source::FIELDS
            .map(|name| format!("{name}=of-{name}"))
            .join("&");
        let post = read(Format::Form, &body).unwrap();
        let known: Vec<_> = post.source.known().map(|(name, _)| name).collect();
        assert_eq!(known, Source::FIELDS);
        assert!(
            post.source
                .known()
                .all(|(name, value)| value == format!("of-{name}"))
        );
    }

    proptest! {
        #[test]
        fn any_json_object_is_understood_or_refused(name in any::<String>(), elapsed in any::<f64>()) {
            let body = serde_json::json!({ "name": name, "elapsed_ms": elapsed }).to_string();
            let post = json(&body);
            prop_assert_eq!(post.text("name"), name);
        }
    }
}
