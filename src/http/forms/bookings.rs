//! `POST /api/bookings/cal` and `/api/bookings/calendly`: the webhooks of the booking services.
//!
//! In this order: set up (404), body within limits (413, 408), signature of the raw body (401),
//! readable (400), stored (503). What a service may leave out is optional here; events that are
//! about no booking are acknowledged. Calendly switches a subscription off after 24 hours of
//! refusals, so nothing else is refused.

use std::sync::Arc;

use axum::body::Body;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::Sha256;
use uuid::Uuid;

use super::body::{self, Limit};
use super::{Call, Refusal, in_time};
use crate::content::site;
use crate::domain::{Contact, ContactForm, Source};
use crate::http::edge::response::{self, Answer, Problem};
use crate::store::{
    BookingEvent, BookingFact, BookingRefusal, BookingService, DeliveryKind, NewLead,
};

pub const CAL: &str = "/api/bookings/cal";
pub const CALENDLY: &str = "/api/bookings/calendly";

const LIMIT: Limit = Limit {
    bytes: 256 * 1024,
    refusal: "Body is larger than 256 KiB",
};

/// How far a signed time may be off. Calendly suggests three minutes; clocks differ.
const TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// A name and a message of a booking are cut, never refused.
const MAX_NAME: usize = 200;
const MAX_NOTES: usize = 5_000;

pub async fn take(call: Arc<Call>, body: Body) -> Answer {
    match receive(&call, body).await {
        Ok(answer) => answer,
        Err(refusal) => refusal.finish(refusal.problem("The event was not taken")),
    }
}

/// The answer after a panic.
pub fn failed(_: &Call) -> Answer {
    Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "The event was not taken").answer()
}

async fn receive(call: &Call, body: Body) -> Result<Answer, Refusal> {
    let (parts, store) = (&call.parts, &call.parts.store);
    let service = match call.head.uri.path() {
        CAL => BookingService::Cal,
        _ => BookingService::Calendly,
    };
    let key = parts.bookings.key(service);
    let key = key.ok_or_else(|| refusal(StatusCode::NOT_FOUND, "There is nothing at this path"))?;
    let bytes = body::read(body, LIMIT, parts.body_timeout).await?;
    let now = store.now();
    let header = |name| call.head.headers.get(name)?.to_str().ok();
    let signed = match service {
        BookingService::Cal => verify_cal(header("x-cal-signature-256"), key, &bytes),
        BookingService::Calendly => {
            verify_calendly(header("calendly-webhook-signature"), key, &bytes, now)
        }
    };
    let event = signed.and_then(|()| {
        let body: Value = serde_json::from_slice(&bytes).map_err(|_| BookingRefusal::Shape)?;
        match service {
            BookingService::Cal => cal(&body, now),
            BookingService::Calendly => calendly(&body, now),
        }
        .ok_or(BookingRefusal::Shape)
    });
    let mut event = match event {
        Ok(event) => event,
        Err(why) => {
            let noted = store.note_booking_refused(service, why, now);
            let _ = in_time("a refused event could not be noted", noted).await;
            tracing::debug!(service = service.name(), ?why, "an event was refused");
            return Err(match why {
                BookingRefusal::Signature => refusal(
                    StatusCode::UNAUTHORIZED,
                    "The signature is missing or wrong",
                ),
                BookingRefusal::Time => {
                    refusal(StatusCode::UNAUTHORIZED, "The signed time is far off")
                }
                BookingRefusal::Shape => {
                    refusal(StatusCode::BAD_REQUEST, "The body has another shape")
                }
            });
        }
    };
    if let Some(booker) = event.as_mut().and_then(|event| event.booker.as_mut()) {
        // They have their answer.
        let wanted = parts.deliveries.iter().copied();
        let wanted = wanted.filter(|kind| *kind != DeliveryKind::AutoReply);
        booker.deliveries = wanted.collect();
        booker.request_id = Some(call.request_id.as_str().to_owned());
    }
    let notify = parts.deliveries.contains(&DeliveryKind::Notify);
    let taken = store.take_booking(service, event, notify, now);
    if in_time("a booking could not be stored", taken).await? {
        parts.metrics.lead_stored(false);
    }
    Ok(response::bare(StatusCode::NO_CONTENT))
}

fn refusal(status: StatusCode, why: &str) -> Refusal {
    Refusal {
        message: Some(why.to_owned()),
        ..Refusal::new(status)
    }
}

/// Without a secret, Cal.com sends `no-secret-provided` instead.
fn verify_cal(header: Option<&str>, key: &[u8], body: &[u8]) -> Result<(), BookingRefusal> {
    verify(header.unwrap_or_default(), key, &[body])
}

/// `t=1700000000,v1=…`
fn verify_calendly(
    header: Option<&str>,
    key: &[u8],
    body: &[u8],
    now: Timestamp,
) -> Result<(), BookingRefusal> {
    let part = |name| {
        let mut parts = header?.split(',').filter_map(|part| part.split_once('='));
        parts.find_map(|(found, value)| (found.trim() == name).then_some(value.trim()))
    };
    let (time, signature) = (
        part("t").unwrap_or_default(),
        part("v1").unwrap_or_default(),
    );
    verify(signature, key, &[time.as_bytes(), b".", body])?;
    let time = time.parse().map(Timestamp::from_second);
    match time {
        Ok(Ok(time)) if now.duration_since(time).abs() <= TOLERANCE => Ok(()),
        _ => Err(BookingRefusal::Time),
    }
}

/// Compares in constant time.
fn verify(signature: &str, key: &[u8], signed: &[&[u8]]) -> Result<(), BookingRefusal> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| BookingRefusal::Signature)?;
    signed.iter().for_each(|part| mac.update(part));
    let byte = |at| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..signature.len()).step_by(2).map(byte).collect();
    mac.verify_slice(&bytes.unwrap_or_default())
        .map_err(|_| BookingRefusal::Signature)
}

/// `None`: another shape; `Some(None)`: about no booking. A booking that still has to be confirmed
/// (`BOOKING_REQUESTED`) is none yet.
fn cal(body: &Value, now: Timestamp) -> Option<Option<BookingEvent>> {
    let trigger = text(body, &["/triggerEvent"])?;
    if ![
        "BOOKING_CREATED",
        "BOOKING_RESCHEDULED",
        "BOOKING_CANCELLED",
    ]
    .contains(&trigger)
    {
        return Some(None);
    }
    let id = text(body, &["/payload/uid", "/payload/rescheduleUid"])?;
    let starts_at = time(body, &["/payload/startTime"]);
    let other = |path| Some(text(body, &[path])?.to_owned()).filter(|other| other != id);
    let fact = match trigger {
        "BOOKING_CANCELLED" => BookingFact::Cancelled {
            replaced_by: other("/payload/rescheduledToUid"),
        },
        _ => BookingFact::Booked {
            starts_at,
            replaces: other("/payload/rescheduleUid"),
        },
    };
    let email = [
        "/payload/responses/email/value",
        "/payload/responses/email",
        "/payload/attendees/0/email",
    ];
    let name = [
        "/payload/responses/name/value",
        "/payload/responses/name",
        "/payload/attendees/0/name",
    ];
    let notes = [
        "/payload/responses/notes/value",
        "/payload/responses/notes",
        "/payload/additionalNotes",
    ];
    let service = BookingService::Cal;
    let notes = text(body, &notes).unwrap_or_default();
    Some(Some(BookingEvent {
        service,
        id: id.to_owned(),
        at: time(body, &["/createdAt"]).unwrap_or(now),
        fact,
        token: token(text(body, &["/payload/metadata/lead"])),
        booker: booker(
            service,
            text(body, &name),
            text(body, &email),
            notes,
            starts_at,
        ),
    }))
}

/// As [`cal`]. Old payloads name the person under `invitee` and the time under `event`.
fn calendly(body: &Value, now: Timestamp) -> Option<Option<BookingEvent>> {
    let event = text(body, &["/event"])?;
    if !["invitee.created", "invitee.canceled"].contains(&event) {
        return Some(None);
    }
    let id = [
        "/payload/uri",
        "/payload/invitee/uri",
        "/payload/scheduled_event/uri",
        "/payload/invitee/uuid",
    ];
    let id = text(body, &id)?;
    let times = [
        "/payload/scheduled_event/start_time",
        "/payload/event/start_time",
    ];
    let starts_at = time(body, &times);
    let is_moved = body.pointer("/payload/rescheduled") == Some(&Value::Bool(true));
    let fact = match event {
        "invitee.canceled" => BookingFact::Cancelled {
            replaced_by: is_moved.then(|| {
                let new = text(body, &["/payload/new_invitee"]);
                new.unwrap_or_default().to_owned()
            }),
        },
        _ => BookingFact::Booked {
            starts_at,
            replaces: text(body, &["/payload/old_invitee"]).map(str::to_owned),
        },
    };
    let answers = body.pointer("/payload/questions_and_answers");
    let answers = answers.and_then(Value::as_array).into_iter().flatten();
    let answers = answers.filter_map(|each| {
        let (question, answer) = (text(each, &["/question"])?, text(each, &["/answer"])?);
        Some(format!("{question}\n{answer}"))
    });
    let notes = answers.collect::<Vec<_>>().join("\n\n");
    let email = text(body, &["/payload/email", "/payload/invitee/email"]);
    let name = text(body, &["/payload/name", "/payload/invitee/name"]);
    let service = BookingService::Calendly;
    Some(Some(BookingEvent {
        service,
        id: id.to_owned(),
        at: time(body, &["/created_at", "/time"]).unwrap_or(now),
        fact,
        token: token(text(body, &["/payload/tracking/utm_content"])),
        booker: booker(service, name, email, &notes, starts_at),
    }))
}

/// The first of these that is there.
fn text<'a>(body: &'a Value, paths: &[&str]) -> Option<&'a str> {
    let mut texts = paths.iter().filter_map(|path| body.pointer(path)?.as_str());
    texts.find(|text| !text.trim().is_empty())
}

fn time(body: &Value, paths: &[&str]) -> Option<Timestamp> {
    text(body, paths)?.parse().ok()
}

/// Other texts may come in the same parameter.
fn token(text: Option<&str>) -> Option<String> {
    Some(Uuid::parse_str(text?.trim()).ok()?.to_string())
}

/// The booker as a lead of its own, in case that nobody known matches.
fn booker(
    service: BookingService,
    name: Option<&str>,
    email: Option<&str>,
    notes: &str,
    starts_at: Option<Timestamp>,
) -> Option<NewLead> {
    let when = starts_at.map(|time| format!(" for {}", site().minute(time)));
    let plain = format!(
        "Booked a call through {}{}.",
        service.name(),
        when.unwrap_or_default()
    );
    let cut = |text: &str, most| text.chars().take(most).collect::<String>();
    let parse = |name: &str, message: &str| {
        Contact::parse(ContactForm {
            name: &cut(name, MAX_NAME),
            email: email?,
            message: &cut(message, MAX_NOTES),
            ..ContactForm::default()
        })
        .ok()
    };
    let message = if notes.is_empty() { &plain } else { notes };
    let contact = parse(name.or(email)?, message).or_else(|| parse(email?, &plain))?;
    let host = match service {
        BookingService::Cal => "cal.com",
        BookingService::Calendly => "calendly.com",
    };
    let source = Source::FIELDS.map(|field| (field == "referrer_host").then(|| host.to_owned()));
    Some(NewLead {
        source: Source::from_values(source),
        ..NewLead::new(contact)
    })
}
