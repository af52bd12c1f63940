//! What is known about a lead, each fact with its label and its name: mails,
//! tables and the webhook choose from it and put it in order.

use std::borrow::Cow;

use crate::content::{FIELDS, Field};
use crate::domain::Source;
use crate::spam;
use crate::store::Lead;

pub struct Fact<'a> {
    /// For people.
    pub label: Cow<'static, str>,
    /// For machines.
    pub name: &'static str,
    pub value: Option<Cow<'a, str>>,
}

pub struct LeadFacts<'a> {
    pub id: Fact<'a>,
    pub received: Fact<'a>,
    /// What the visitor typed, in the order of the form.
    pub typed: Vec<Fact<'a>>,
    pub form: Fact<'a>,
    /// Why, until when, and what looks like spam.
    pub held: [Fact<'a>; 3],
    /// What the owner has done about it, when it was answered, and the note.
    pub owners: [Fact<'a>; 3],
    pub source: Vec<Fact<'a>>,
}

impl Lead {
    pub fn facts(&self) -> LeadFacts<'_> {
        // Taken apart, so that the compiler asks for a place for a new field.
        let Self {
            id,
            name,
            email,
            phone,
            message,
            form_location,
            created_at,
            hold_reason,
            released_at,
            spam_reasons,
            state,
            answered_at,
            note,
            source,
        } = self;
        let [released_at, answered_at] =
            [released_at, answered_at].map(|time| time.map(|time| time.to_string()));
        let reasons = (!spam_reasons.is_empty()).then(|| spam::in_one_line(spam_reasons));
        LeadFacts {
            id: fact("Lead", "id", Some(id)),
            received: fact("Received", "created_at", Some(created_at.to_string())),
            typed: vec![
                typed(&FIELDS.name, Some(name)),
                typed(&FIELDS.email, Some(email)),
                typed(&FIELDS.phone, phone.as_ref()),
                typed(&FIELDS.message, Some(message)),
            ],
            form: fact("Form", "form_location", Some(form_location)),
            held: [
                fact("Held", "hold_reason", hold_reason.as_ref()),
                fact("Released", "released_at", released_at),
                fact("Spam", "spam_reasons", reasons),
            ],
            owners: [
                fact("State", "state", Some(state.as_str())),
                fact("Answered", "answered_at", answered_at),
                fact("Note", "note", note.as_ref()),
            ],
            source: touches(source),
        }
    }
}

impl Fact<'_> {
    /// Goes into one line: all but the message.
    pub fn is_line(&self) -> bool {
        self.name != FIELDS.message.name
    }

    /// The same fact in other words.
    pub fn saying(self, words: String) -> Self {
        Self {
            value: Some(words.into()),
            ..self
        }
    }
}

fn fact<'a>(
    label: &'static str,
    name: &'static str,
    value: Option<impl Into<Cow<'a, str>>>,
) -> Fact<'a> {
    Fact {
        label: label.into(),
        name,
        value: value.map(Into::into),
    }
}

fn typed<'a>(field: &'static Field, value: Option<&'a String>) -> Fact<'a> {
    // In mails to the owner and on the command line it has a hyphen.
    let label = match field.name == FIELDS.email.name {
        true => "E-mail",
        false => &field.label,
    };
    fact(label, field.name, value)
}

fn touches(source: &Source) -> Vec<Fact<'_>> {
    let values = Source::FIELDS.into_iter().zip(source.values());
    values
        .map(|(name, value)| Fact {
            label: name.replace('_', " ").into(),
            ..fact("", name, value.as_ref())
        })
        .collect()
}

/// For tests of all the places where a lead is shown.
#[cfg(test)]
impl Lead {
    /// A lead, and what stands in which field of its form.
    pub fn with_every_field() -> (Self, Vec<(&'static Field, String)>) {
        let words = |field: &Field| format!("words of {}", field.name);
        let lead = Self {
            id: "1".into(),
            name: words(&FIELDS.name),
            email: words(&FIELDS.email),
            phone: Some(words(&FIELDS.phone)),
            message: words(&FIELDS.message),
            ..Self::default()
        };
        let typed = FIELDS.all().map(|field| (field, words(field)));
        (lead, typed.collect())
    }
}
