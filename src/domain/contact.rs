//! A contact form, from the raw words to a valid whole.

use super::{Email, FieldError, FieldErrors, Message, Name, Phone, stored_enum};
use crate::content::{FIELDS, Field};

/// The words as they came in; a missing field is an empty one.
#[derive(Clone, Copy, Default)]
pub struct ContactForm<'a> {
    pub name: &'a str,
    pub email: &'a str,
    pub phone: &'a str,
    pub message: &'a str,
    pub form_location: &'a str,
}

impl<'a> ContactForm<'a> {
    /// From words that are found by the name of their field.
    pub fn of(text: impl Fn(&str) -> &'a str) -> Self {
        Self {
            name: text(FIELDS.name.name),
            email: text(FIELDS.email.name),
            phone: text(FIELDS.phone.name),
            message: text(FIELDS.message.name),
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
    /// Checks every field and reports all that is wrong at once.
    pub fn parse(form: ContactForm<'_>) -> Result<Self, FieldErrors> {
        let mut errors = Vec::new();
        let name = keep(Name::parse(form.name), &mut errors);
        let email = keep(Email::parse(form.email), &mut errors);
        let phone = keep(Phone::parse(form.phone), &mut errors);
        let message = keep(Message::parse(form.message), &mut errors);
        let location = keep(FormLocation::parse(form.form_location), &mut errors);
        match (name, email, phone, message, location) {
            (Some(name), Some(email), Some(phone), Some(message), Some(form_location)) => {
                Ok(Self {
                    name,
                    email,
                    phone,
                    message,
                    form_location,
                })
            }
            _ => Err(FieldErrors::collect(errors).expect("a field is missing only with an error")),
        }
    }

    /// What was typed into each field, in the order of the form.
    pub fn typed(&self) -> impl Iterator<Item = (&'static Field, Option<&str>)> {
        let Self {
            name,
            email,
            phone,
            message,
            form_location: _,
        } = self;
        [
            (&FIELDS.name, Some(name.as_str())),
            (&FIELDS.email, Some(email.as_str())),
            (&FIELDS.phone, phone.as_ref().map(Phone::as_str)),
            (&FIELDS.message, Some(message.as_str())),
        ]
        .into_iter()
    }
}

fn keep<T>(parsed: Result<T, FieldError>, errors: &mut Vec<FieldError>) -> Option<T> {
    parsed.map_err(|error| errors.push(error)).ok()
}

stored_enum!(
    /// The page the form stands on.
    FormLocation {
        Homepage = "homepage",
        Contact = "contact",
    }
);

impl FormLocation {
    /// Empty is the default, `contact`.
    pub fn parse(raw: &str) -> Result<Self, FieldError> {
        match raw.trim() {
            "" => Ok(Self::Contact),
            word => word.parse().map_err(|_| {
                let words = Self::words();
                FieldError::new("form_location", format!("Form location must be {words}"))
            }),
        }
    }
}

stored_enum!(
    /// Why a lead is kept back from delivery until the owner releases it.
    HoldReason {
        /// The field no visitor sees was filled in.
        Decoy = "decoy",
        /// The form was sent faster than a person types.
        TooFast = "too_fast",
        /// It reads like spam: the reasons are stored with it.
        SpamScore = "spam_score",
    }
);

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
        name == "form_location" || FIELDS.all().any(|field| field.name == name)
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
            let form = ContactForm::of(|name| match name == case.field {
                true => &value,
                false => valid(name),
            });
            let error = Contact::parse(form).err();
            let complaint = error.as_ref().map(|errors| &errors.as_slice()[0]);
            let message = complaint.map(|error| error.message.as_str());
            assert_eq!(message, case.message.as_deref(), "{} {value:?}", case.field);
            assert!(complaint.is_none_or(|error| error.field == case.field));
        }
    }

    #[test]
    fn what_was_typed_is_listed_for_every_field_of_the_form() {
        let contact = Contact::parse(ContactForm::of(valid)).unwrap();
        let listed: Vec<_> = contact.typed().map(|(field, _)| field.name).collect();
        let fields: Vec<_> = FIELDS.all().map(|field| field.name).collect();
        assert_eq!(listed, fields);
    }

    #[test]
    fn an_empty_field_outranks_a_bad_address_in_the_summary() {
        let form = ContactForm {
            email: "ada",
            message: " ",
            ..ContactForm::of(valid)
        };
        let errors = Contact::parse(form).unwrap_err();
        let fields: Vec<_> = errors.as_slice().iter().map(|error| error.field).collect();
        assert_eq!(fields, ["email", "message"]);
        assert_eq!(errors.summary(), "Please fill in all required fields");
    }

    #[test]
    fn an_absent_form_location_is_the_contact_page() {
        let contact = Contact::parse(ContactForm::of(valid)).unwrap();
        assert_eq!(contact.form_location, FormLocation::Contact);
        assert_eq!(contact.phone, None);
    }

    proptest::proptest! {
        #[test]
        fn any_form_parses_or_names_its_wrong_fields(
            words in "\\PC*", email in "[a-z@. ]{0,9}", form_location in "homepage|contact|\\PC*",
        ) {
            let form = ContactForm::of(|name| match name {
                "email" => &email,
                "form_location" => &form_location,
                _ => &words,
            });
            if let Err(errors) = Contact::parse(form) {
                let known = |error: &FieldError| is_field(error.field);
                proptest::prop_assert!(errors.as_slice().iter().all(known));
                proptest::prop_assert!(!errors.summary().is_empty());
            }
        }
    }
}
