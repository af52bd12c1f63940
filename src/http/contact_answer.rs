//! The answers to a contact form: JSON for our own script, a page for a
//! browser without JavaScript, both with the same words.

use http::StatusCode;
use http::header::{HeaderValue, LOCATION};
use uuid::Uuid;

use super::app::AppParts;
use super::body::{self, Answer};
use super::client::Client;
use super::contact_form::Submission;
use super::form_body::Format;
use super::intake::Refused;
use super::template::mark;
use crate::content::MESSAGES;

const SENT_PAGE: HeaderValue = HeaderValue::from_static("/contact/sent");

/// The form's own name for the element that tells what is wrong.
const STATUS: &str = "contact-status";

pub fn created(id: &str) -> Answer {
    let json = serde_json::json!({ "id": id });
    body::json(StatusCode::CREATED, "application/json", &json)
}

/// A reload of the page that follows must not send the form again.
pub fn see_sent_page() -> Answer {
    let mut answer = Answer::new(body::empty());
    *answer.status_mut() = StatusCode::SEE_OTHER;
    answer.headers_mut().insert(LOCATION, SENT_PAGE);
    answer
}

pub fn refusal(
    parts: &AppParts,
    format: Format,
    client: Client,
    typed: &Submission,
    refused: &Refused,
) -> Answer {
    let message = refused.message(&MESSAGES.contact_failed);
    let answer = match format {
        Format::Json => refused.problem(message),
        Format::Form => {
            // The page's form gets a key of its own, so that sending it twice
            // stores one lead.
            let key = match typed.idempotency_key.as_str() {
                "" => Uuid::new_v4().to_string(),
                key => key.to_owned(),
            };
            let [name, email, phone, body] = ["name", "email", "phone", "message"]
                .map(|field| mark(refused.is_about(field), STATUS));
            let words = [
                ("message", message),
                ("name", &typed.name),
                ("email", &typed.email),
                ("phone", &typed.phone),
                ("body", &typed.message),
                ("form_location", &typed.form_location),
                ("idempotency_key", &key),
                ("name_invalid", name.0),
                ("name_described", name.1),
                ("email_invalid", email.0),
                ("email_described", email.1),
                ("phone_invalid", phone.0),
                ("phone_described", phone.1),
                ("message_invalid", body.0),
                ("message_described", body.1),
            ];
            parts
                .pages
                .contact_outcome
                .answer(refused.status, client.tls, &words)
        }
    };
    refused.finish(answer)
}
