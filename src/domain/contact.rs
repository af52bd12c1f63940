//! The contact form, from raw text to validated fields, with its idempotency key and traffic
//! source.

use serde::{Serialize, Serializer};

use super::email::Email;
use super::text::{FieldError, FieldErrors, Message, Name, Phone, short_line};
use super::word_enum::word_enum;
use crate::content::{Field, fields};

const MAX_KEY: usize = 255;

/// The submitted text; a missing field is empty.
#[derive(Clone, Copy, Default)]
pub struct ContactForm<'a> {
    pub name: &'a str,
    pub email: &'a str,
    pub phone: &'a str,
    pub message: &'a str,
    pub form_location: &'a str,
}

impl<'a> ContactForm<'a> {
    pub fn read(text: impl Fn(&str) -> &'a str) -> Self {
        Self {
            name: text(fields().name.name),
            email: text(fields().email.name),
            phone: text(fields().phone.name),
            message: text(fields().message.name),
            form_location: text("form_location"),
        }
    }
}

/// A contact form that passed every rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contact {
    pub name: Name,
    pub email: Email,
    pub phone: Option<Phone>,
    pub message: Message,
    pub form_location: FormLocation,
}

impl Contact {
    /// Checks every field and reports all errors at once.
    pub fn parse(form: ContactForm<'_>) -> Result<Self, FieldErrors> {
        let mut errors = Vec::new();
        let name = keep(Name::parse(form.name), &mut errors);
        let email = keep(Email::parse(form.email), &mut errors);
        let phone = keep(Phone::parse(form.phone), &mut errors);
        let message = keep(Message::parse(form.message), &mut errors);
        let location = keep(FormLocation::parse(form.form_location), &mut errors);
        let contact = || {
            Some(Self {
                name: name?,
                email: email?,
                phone: phone?,
                message: message?,
                form_location: location?,
            })
        };
        contact().ok_or(FieldErrors(errors))
    }

    /// The text of each field, in the order of the form.
    pub fn entered(&self) -> impl Iterator<Item = (&'static Field, Option<&str>)> {
        [
            (&fields().name, Some(self.name.as_str())),
            (&fields().email, Some(self.email.as_str())),
            (&fields().phone, self.phone.as_ref().map(Phone::as_str)),
            (&fields().message, Some(self.message.as_str())),
        ]
        .into_iter()
    }
}

fn keep<T>(parsed: Result<T, FieldError>, errors: &mut Vec<FieldError>) -> Option<T> {
    parsed.map_err(|error| errors.push(error)).ok()
}

word_enum!(
    /// The page that contains the form.
    FormLocation {
        Homepage = "homepage",
        Contact = "contact",
    }
);

impl FormLocation {
    /// Empty means the default, `contact`.
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        match raw.trim() {
            "" => Ok(Self::Contact),
            word => word.parse().map_err(|problem| {
                FieldError::new("form_location", format!("Form location {problem}"))
            }),
        }
    }
}

word_enum!(
    /// Why a lead isn't delivered until the owner releases it.
    HoldReason {
        /// The field that visitors can't see was filled in.
        Honeypot = "decoy",
        /// The form was sent faster than a person types.
        TooFast = "too_fast",
        /// The spam score is too high; the reasons are stored with the lead.
        SpamScore = "spam_score",
    }
);

/// Identifies one filled-in form, so that submitting it twice stores one lead: 1 to 255 printable
/// ASCII characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(String);

impl IdempotencyKey {
    /// Returns `None` for an empty value.
    pub fn parse(raw: &str) -> Result<Option<Self>, FieldError> {
        let value = raw.trim();
        if value.is_empty() {
            return Ok(None);
        }
        let printable = value.bytes().all(|b| (b' '..=b'~').contains(&b));
        if value.len() > MAX_KEY || !printable {
            let message = format!("Idempotency key: at most {MAX_KEY} printable ASCII characters");
            return Err(FieldError::new("idempotency_key", message));
        }
        Ok(Some(Self(value.to_owned())))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The source of the visit that led to a lead: short one-line values, `None` when empty. It only
/// informs the owner, so a value that is too long is cut off and never costs a lead.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Source {
    values: [Option<String>; Source::FIELDS.len()],
}

impl Source {
    /// The names of the values, which are also the column names in the store.
    pub const FIELDS: [&'static str; 7] = [
        "landing_path",
        "referrer_host",
        "utm_source",
        "utm_medium",
        "utm_campaign",
        "utm_term",
        "utm_content",
    ];

    /// The values in the order of [`Source::FIELDS`].
    pub fn from_values(values: [Option<String>; Self::FIELDS.len()]) -> Self {
        Self {
            values: values.map(|value| value.and_then(|text| short_line(&text))),
        }
    }

    pub fn values(&self) -> &[Option<String>] {
        &self.values
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        let mut present = self.known();
        present
            .find(|(field, _)| *field == name)
            .map(|(_, value)| value)
    }

    /// Name and value of each value that is present.
    pub fn known(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let pairs = Self::FIELDS.into_iter().zip(&self.values);
        pairs.filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}

/// An object of the values that are present.
impl Serialize for Source {
    fn serialize<S: Serializer>(&self, output: S) -> Result<S::Ok, S::Error> {
        output.collect_map(self.known())
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    fn valid(field: &str) -> &'static str {
        match field {
            "name" => "Ada",
            "email" => "ada@example.org",
            "message" => "Hello",
            _ => "",
        }
    }

    fn is_field(name: &str) -> bool {
        name == "form_location" || fields().all().any(|field| field.name == name)
    }

    #[derive(Deserialize)]
    struct Case {
        field: String,
        value: String,
        #[serde(default = "once")]
        repeat: usize,
        message: Option<String>,
    }

    fn once() -> usize {
        1
    }

    #[test]
    fn every_shared_validation_case_holds() {
        let file = include_str!("../../contract/validation-cases.json");
        let cases: Vec<Case> = serde_json::from_str(file).unwrap();
        for case in cases {
            assert!(is_field(&case.field), "{}", case.field);
            let value = case.value.repeat(case.repeat);
            let form = ContactForm::read(|name| {
                if name == case.field {
                    &value
                } else {
                    valid(name)
                }
            });
            let error = Contact::parse(form).err();
            let complaint = error.as_ref().map(|errors| &errors.as_slice()[0]);
            let message = complaint.map(|error| error.message.as_str());
            assert_eq!(message, case.message.as_deref(), "{} {value:?}", case.field);
            assert!(complaint.is_none_or(|error| error.field == case.field));
        }
    }

    #[test]
    fn what_was_entered_is_listed_for_every_field_of_the_form() {
        let contact = Contact::parse(ContactForm::read(valid)).unwrap();
        let listed: Vec<_> = contact.entered().map(|(field, _)| field.name).collect();
        let fields: Vec<_> = fields().all().map(|field| field.name).collect();
        assert_eq!(listed, fields);
        assert_eq!(contact.form_location, FormLocation::Contact);
    }

    #[test]
    fn an_empty_field_outranks_a_bad_address_in_the_summary() {
        let form = ContactForm {
            email: "ada",
            message: " ",
            ..ContactForm::read(valid)
        };
        let errors = Contact::parse(form).unwrap_err();
        let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field).collect();
        assert_eq!(fields, ["email", "message"]);
        assert_eq!(errors.summary(), "Please fill in all required fields");
    }

    #[test]
    fn a_key_is_short_printable_ascii_and_an_empty_one_is_none() {
        assert_eq!(IdempotencyKey::parse("  "), Ok(None));
        let key = IdempotencyKey::parse(" a b ").unwrap().unwrap();
        assert_eq!(key.as_str(), "a b");
        for bad in [&"k".repeat(256), "a\nb", "é"] {
            assert!(IdempotencyKey::parse(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn every_value_is_a_short_line(raw in proptest::option::of(proptest::prelude::any::<String>())) {
            let source = Source::from_values(Source::FIELDS.map(|_| raw.clone()));
            for (_, value) in source.known() {
                proptest::prop_assert!((1..=200).contains(&value.chars().count()));
                proptest::prop_assert!(!value.contains(char::is_control));
            }
        }
    }
}
