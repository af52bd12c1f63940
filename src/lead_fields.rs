//! A lead's fields, each with a label for people and a name for machines. Mails and commands pick
//! fields in their own order.

use std::borrow::Cow;

use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use url::Url;

use crate::content::{Field, Site, fields};
use crate::domain::{HoldReason, Source, one_line};
use crate::spam;
use crate::store::{BookedCall, Lead, MatchedBy};

pub struct LeadField<'a> {
    pub label: Cow<'static, str>,
    pub name: &'static str,
    pub value: Option<Cow<'a, str>>,
}

pub struct LeadFields<'a> {
    pub id: LeadField<'a>,
    pub received: LeadField<'a>,
    /// The fields of the form, in its order.
    pub entered: Vec<LeadField<'a>>,
    pub form: LeadField<'a>,
    /// Hold reason, release time, and spam reasons.
    pub held: [LeadField<'a>; 3],
    /// State, time of the answer, and the owner's note.
    pub set_by_owner: [LeadField<'a>; 3],
    pub source: Vec<LeadField<'a>>,
}

impl<'a> LeadFields<'a> {
    /// All fields, in the order of exports.
    pub fn columns(self) -> impl Iterator<Item = LeadField<'a>> {
        let first = [self.id, self.received].into_iter().chain(self.entered);
        let owners = first.chain([self.form]).chain(self.set_by_owner);
        owners.chain(self.held).chain(self.source)
    }
}

impl Lead {
    /// A link to the booking page that carries the visitor's name and address, and the lead's id,
    /// which the service's webhook sends back. `web/src/lib/booking-link.ts` does the same in the
    /// browser.
    pub fn booking_link(&self, site: &Site) -> String {
        let url = &site.booking_url;
        let host = Url::parse(url).ok();
        let host = host.as_ref().and_then(Url::host_str).unwrap_or_default();
        let token = if host == "calendly.com" || host.ends_with(".calendly.com") {
            "utm_content"
        } else {
            "metadata%5Blead%5D"
        };
        let join = if url.contains('?') { '&' } else { '?' };
        let encoded = |text: &str| utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
        let (name, email) = (encoded(&one_line(&self.name)), encoded(&self.email));
        format!("{url}{join}name={name}&email={email}&{token}={}", self.id)
    }

    pub fn why_held(&self) -> Option<&'static str> {
        let reason = self.hold_reason.as_ref()?;
        Some(match reason.parse() {
            Ok(HoldReason::Honeypot) => "a field that no visitor sees was filled in",
            Ok(HoldReason::TooFast) => "it was sent faster than a person types",
            Ok(HoldReason::SpamScore) => "it reads like spam",
            Err(_) => "it looks as if a program had sent it",
        })
    }

    /// The message as a reply quotes it.
    pub fn quoted(&self, site: &Site) -> String {
        let (day, name) = (site.day(self.created_at), one_line(&self.name));
        let mut text = format!("On {day}, {name} wrote:");
        for line in self.message.lines() {
            text += format!("\n> {line}").trim_end();
        }
        text
    }

    pub fn columns() -> Vec<&'static str> {
        let nobody = Self::default();
        nobody.fields().columns().map(|field| field.name).collect()
    }

    /// The lead's values for [`Self::columns`].
    pub fn cells(&self) -> Vec<String> {
        let values = self.fields().columns().map(|field| field.value);
        values
            .map(|value| value.unwrap_or_default().into_owned())
            .collect()
    }

    pub fn fields(&self) -> LeadFields<'_> {
        let time = |time: Option<Timestamp>| time.map(|time| time.to_string());
        let reasons = &self.spam_reasons;
        let reasons = (!reasons.is_empty()).then(|| spam::in_one_line(reasons));
        let source = Source::FIELDS.into_iter().zip(self.source.values());
        let source =
            source.map(|(name, value)| lead_field(name.replace('_', " "), name, value.as_ref()));
        LeadFields {
            id: lead_field("Lead", "id", Some(&self.id)),
            received: lead_field("Received", "created_at", Some(self.created_at.to_string())),
            entered: vec![
                entered(&fields().name, Some(&self.name)),
                entered(&fields().email, Some(&self.email)),
                entered(&fields().phone, self.phone.as_ref()),
                entered(&fields().message, Some(&self.message)),
            ],
            form: lead_field("Form", "form_location", Some(&self.form_location)),
            held: [
                lead_field("Held", "hold_reason", self.hold_reason.as_ref()),
                lead_field("Released", "released_at", time(self.released_at)),
                lead_field("Spam", "spam_reasons", reasons),
            ],
            set_by_owner: [
                lead_field("State", "state", Some(self.state.as_str())),
                lead_field("Answered", "answered_at", time(self.answered_at)),
                lead_field("Note", "note", self.note.as_ref()),
            ],
            source: source.collect(),
        }
    }
}

impl BookedCall {
    /// `Call today at 11:30, matched by the booking link`
    pub fn in_words(&self, site: &Site, now: Timestamp) -> String {
        let how = match self.matched_by {
            MatchedBy::Token => "matched by the booking link",
            MatchedBy::Address => "matched by the address",
            MatchedBy::Booking => "booked without a message before",
        };
        format!("Call {}, {how}", site.call_time(self.at, now))
    }
}

impl LeadField<'_> {
    /// True for everything but the message, which may have several lines.
    pub fn is_line(&self) -> bool {
        self.name != fields().message.name
    }

    /// The same field with another value.
    pub fn with_value(self, words: String) -> Self {
        Self {
            value: Some(words.into()),
            ..self
        }
    }
}

fn lead_field<'a>(
    label: impl Into<Cow<'static, str>>,
    name: &'static str,
    value: Option<impl Into<Cow<'a, str>>>,
) -> LeadField<'a> {
    LeadField {
        label: label.into(),
        name,
        value: value.map(Into::into),
    }
}

fn entered<'a>(field: &'static Field, value: Option<&'a String>) -> LeadField<'a> {
    // Mails to the owner and the command line spell "E-mail" with a hyphen.
    let label = if field.name == fields().email.name {
        "E-mail"
    } else {
        &field.label
    };
    lead_field(label, field.name, value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    /// Mails, lists and exports take them from here.
    #[test]
    fn every_field_of_the_form_is_shown() {
        let lead = Lead::default();
        let json = serde_json::to_value(&lead).unwrap();
        let known: Vec<_> = lead.fields().entered.iter().map(|each| each.name).collect();
        for field in fields().all() {
            assert!(known.contains(&field.name) && json.get(field.name).is_some());
        }
    }

    #[test]
    fn a_booking_link_carries_name_address_and_lead_in_the_words_of_its_service() {
        let lead = Lead {
            id: "019a7c1e".into(),
            name: "Ada & Co +1".into(),
            email: "ada+x@example.org".into(),
            ..Lead::default()
        };
        let typed = "name=Ada%20%26%20Co%20%2B1&email=ada%2Bx%40example%2Eorg";
        for (booking_url, before, after) in [
            ("https://calendly.com/anna", "?", "utm_content"),
            ("https://team.calendly.com/anna?a=1", "&", "utm_content"),
            ("https://cal.com/anna", "?", "metadata%5Blead%5D"),
            ("https://notcalendly.com/?a=1", "&", "metadata%5Blead%5D"),
        ] {
            let site = Site {
                booking_url: booking_url.into(),
                ..site().clone()
            };
            let expected = format!("{booking_url}{before}{typed}&{after}=019a7c1e");
            assert_eq!(lead.booking_link(&site), expected);
        }
    }
}
