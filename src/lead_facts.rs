//! The facts about a lead, each with label and name. Mails and commands select from them in their
//! own order.

use std::borrow::Cow;

use jiff::Timestamp;

use crate::content::{Field, fields};
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
    /// The fields of the form, in its order.
    pub typed: Vec<Fact<'a>>,
    pub form: Fact<'a>,
    /// Hold reason, release time, and spam reasons.
    pub held: [Fact<'a>; 3],
    /// State, time of the answer, and the owner's note.
    pub owners: [Fact<'a>; 3],
    pub source: Vec<Fact<'a>>,
}

impl Lead {
    pub fn facts(&self) -> LeadFacts<'_> {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let reasons = &self.spam_reasons;
        let reasons = (!reasons.is_empty()).then(|| spam::in_one_line(reasons));
        let source = Source::FIELDS.into_iter().zip(self.source.values());
        let source = source.map(|(name, value)| fact(name.replace('_', " "), name, value.as_ref()));
        LeadFacts {
            id: fact("Lead", "id", Some(&self.id)),
            received: fact("Received", "created_at", Some(self.created_at.to_string())),
            typed: vec![
                typed(&fields().name, Some(&self.name)),
                typed(&fields().email, Some(&self.email)),
                typed(&fields().phone, self.phone.as_ref()),
                typed(&fields().message, Some(&self.message)),
            ],
            form: fact("Form", "form_location", Some(&self.form_location)),
            held: [
                fact("Held", "hold_reason", self.hold_reason.as_ref()),
                fact("Released", "released_at", time(self.released_at)),
                fact("Spam", "spam_reasons", reasons),
            ],
            owners: [
                fact("State", "state", Some(self.state.as_str())),
                fact("Answered", "answered_at", time(self.answered_at)),
                fact("Note", "note", self.note.as_ref()),
            ],
            source: source.collect(),
        }
    }
}

impl Fact<'_> {
    /// True for everything but the message, which may have several lines.
    pub fn is_line(&self) -> bool {
        self.name != fields().message.name
    }

    /// The same fact with another value.
    pub fn with_value(self, words: String) -> Self {
        Self {
            value: Some(words.into()),
            ..self
        }
    }
}

fn fact<'a>(
    label: impl Into<Cow<'static, str>>,
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
    // Mails to the owner and the command line spell it with a hyphen.
    let label = match field.name == fields().email.name {
        true => "E-mail",
        false => &field.label,
    };
    fact(label, field.name, value)
}

/// For tests of every place that shows a lead.
#[cfg(test)]
impl Lead {
    /// A lead, and the value of each field of its form.
    pub fn with_every_field() -> (Self, Vec<(&'static Field, String)>) {
        let words = |field: &Field| format!("words of {}", field.name);
        let lead = Self {
            id: "1".into(),
            name: words(&fields().name),
            email: words(&fields().email),
            phone: Some(words(&fields().phone)),
            message: words(&fields().message),
            ..Self::default()
        };
        let typed = fields().all().map(|field| (field, words(field)));
        (lead, typed.collect())
    }
}
