//! `POST /api/bookings/cal` and `/api/bookings/calendly`: the webhooks of the booking services.
//!
//! A request passes these checks, in this order: the service is set up (404), size and time of the
//! body (413, 408), signature of the raw body (401), shape (400), storing (503), and whether the
//! booker is known or has an address (400, but only for Cal.com). Nothing else is refused, because Calendly switches a subscription off after 24 hours of refusals: fields that a
//! service may leave out are optional, and other events are acknowledged.

use axum::body::Body;
use hmac::{Hmac, KeyInit as _, Mac as _};
use http::StatusCode;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use sha2::Sha256;
use uuid::Uuid;

use super::request::{ApiRequest, Refusal, in_time};
use crate::content::site;
use crate::domain::{Contact, ContactForm, Source};
use crate::http::edge::response::{self, HttpResponse};
use crate::store::{
    BookingEvent, BookingFact, BookingOutcome, BookingRefusal, BookingService, DeliveryKind,
    NewLead,
};

const FAILED: &str = "The event wasn't stored";

/// The largest event, in bytes.
const LIMIT: usize = 256 * 1024;

/// How far a signed time may be off. Calendly suggests three minutes; clocks differ.
const CLOCK_TOLERANCE: SignedDuration = SignedDuration::from_mins(5);

/// Longer names and notes of a booking are cut, never refused.
const MAX_NAME: usize = 200;
const MAX_NOTES: usize = 5_000;

pub async fn receive_event(
    service: BookingService,
    request: &ApiRequest,
    body: Body,
) -> HttpResponse {
    let received = receive(service, request, body).await;
    received.unwrap_or_else(|refusal| refusal.finish(refusal.problem(FAILED)))
}

/// The response after a panic.
pub fn failed() -> HttpResponse {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR).problem(FAILED)
}

async fn receive(
    service: BookingService,
    request: &ApiRequest,
    body: Body,
) -> Result<HttpResponse, Refusal> {
    let (state, store) = (&request.state, &request.state.store);
    let key = state.bookings.key(service);
    let key = key.ok_or_else(|| refusal(StatusCode::NOT_FOUND, "There is nothing at this path"))?;
    let bytes = request.read(body, LIMIT).await?;
    let now = store.now();
    let header = |name| request.head.headers.get(name)?.to_str().ok();
    let header = |name| header(name).unwrap_or_default();
    let signature = header(match service {
        BookingService::Cal => "x-cal-signature-256",
        BookingService::Calendly => "calendly-webhook-signature",
    });
    let signed = match service {
        BookingService::Cal => verify(signature, key, &[&bytes]),
        BookingService::Calendly => verify_calendly(signature, key, &bytes, now),
    };
    let event = signed.and_then(|()| {
        let body = serde_json::from_slice(&bytes).ok();
        let event = body.and_then(|body| read(service, &body, now));
        event.ok_or(BookingRefusal::Shape)
    });
    let record_refusal = async |why| {
        let recording = store.record_refused_booking(service, why, now);
        let _ = in_time("a refused event could not be noted", recording).await;
    };
    let mut event = match event {
        Ok(event) => event,
        Err(why) => {
            // A request without a signature isn't from the service.
            if !signature.is_empty() {
                record_refusal(why).await;
            }
            let (status, message) = match why {
                BookingRefusal::Signature => (
                    StatusCode::UNAUTHORIZED,
                    "The signature is missing or wrong",
                ),
                BookingRefusal::Time => (
                    StatusCode::UNAUTHORIZED,
                    "The signed time is more than five minutes off",
                ),
                BookingRefusal::Shape | BookingRefusal::Booker => (
                    StatusCode::BAD_REQUEST,
                    "The body isn't an event of this service",
                ),
            };
            return Err(refusal(status, message));
        }
    };
    if let Some(booker) = event.as_mut().and_then(|event| event.booker.as_mut()) {
        // Somebody who has booked needs no automatic reply.
        let wanted = state.deliveries.iter().copied();
        let wanted = wanted.filter(|kind| *kind != DeliveryKind::AutoReply);
        booker.deliveries = wanted.collect();
        booker.request_id = Some(request.request_id.as_str().to_owned());
    }
    let notify = state.deliveries.contains(&DeliveryKind::LeadMail);
    let storing = store.take_booking(service, event, notify, now);
    match in_time("a booking could not be stored", storing).await? {
        BookingOutcome::Taken => {}
        BookingOutcome::NewLead => state.metrics.lead_stored(false),
        BookingOutcome::NobodyKnown => {
            record_refusal(BookingRefusal::Booker).await;
            // Calendly would switch the whole subscription off because of one such call.
            if service == BookingService::Cal {
                let message = "The booker is unknown and has no usable address";
                return Err(refusal(StatusCode::BAD_REQUEST, message));
            }
        }
    }
    Ok(response::bare(StatusCode::NO_CONTENT))
}

fn refusal(status: StatusCode, why: &str) -> Refusal {
    Refusal {
        message: Some(why.to_owned()),
        ..Refusal::new(status)
    }
}

/// `t=1700000000,v1=…`
fn verify_calendly(
    header: &str,
    key: &[u8],
    body: &[u8],
    now: Timestamp,
) -> Result<(), BookingRefusal> {
    let part = |name| {
        let mut parts = header.split(',').filter_map(|part| part.split_once('='));
        let found = parts.find(|(found, _)| found.trim() == name);
        found.map_or("", |(_, value)| value.trim())
    };
    verify(part("v1"), key, &[part("t").as_bytes(), b".", body])?;
    let time = part("t").parse().map(Timestamp::from_second);
    match time {
        Ok(Ok(time)) if now.duration_since(time).abs() <= CLOCK_TOLERANCE => Ok(()),
        _ => Err(BookingRefusal::Time),
    }
}

/// Compares in constant time. Without a secret, Cal.com sends `no-secret-provided`.
fn verify(signature: &str, key: &[u8], signed: &[&[u8]]) -> Result<(), BookingRefusal> {
    let wrong = BookingRefusal::Signature;
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(|_| wrong)?;
    signed.iter().for_each(|part| mac.update(part));
    let byte = |at| u8::from_str_radix(signature.get(at..at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..signature.len()).step_by(2).map(byte).collect();
    let bytes = bytes.ok_or(wrong)?;
    mac.verify_slice(&bytes).map_err(|_| wrong)
}

/// JSON pointers to the values of a service's events. Of several, the first that finds a text
/// counts.
struct JsonPaths {
    event: &'static str,
    booked: &'static [&'static str],
    cancelled: &'static str,
    at: &'static [&'static str],
    id: &'static [&'static str],
    replaces: &'static str,
    replaced_by: &'static str,
    starts_at: &'static [&'static str],
    name: &'static [&'static str],
    email: &'static [&'static str],
    notes: &'static [&'static str],
    token: &'static str,
    /// The site that a lead came from.
    host: &'static str,
}

/// `BOOKING_REQUESTED` still has to be confirmed, so it isn't a booking yet.
const CAL_PATHS: JsonPaths = JsonPaths {
    event: "/triggerEvent",
    booked: &["BOOKING_CREATED", "BOOKING_RESCHEDULED"],
    cancelled: "BOOKING_CANCELLED",
    at: &["/createdAt"],
    id: &["/payload/uid", "/payload/rescheduleUid"],
    replaces: "/payload/rescheduleUid",
    replaced_by: "/payload/rescheduledToUid",
    starts_at: &["/payload/startTime"],
    name: &[
        "/payload/responses/name/value",
        "/payload/responses/name",
        "/payload/attendees/0/name",
    ],
    email: &[
        "/payload/responses/email/value",
        "/payload/responses/email",
        "/payload/attendees/0/email",
    ],
    notes: &[
        "/payload/responses/notes/value",
        "/payload/responses/notes",
        "/payload/additionalNotes",
    ],
    token: "/payload/metadata/lead",
    host: "cal.com",
};

/// Old events name the person under `invitee` and the time under `event`.
const CALENDLY_PATHS: JsonPaths = JsonPaths {
    event: "/event",
    booked: &["invitee.created"],
    cancelled: "invitee.canceled",
    at: &["/created_at", "/time"],
    id: &[
        "/payload/uri",
        "/payload/scheduled_event/uri",
        "/payload/invitee/uuid",
    ],
    replaces: "/payload/old_invitee",
    replaced_by: "/payload/new_invitee",
    starts_at: &[
        "/payload/scheduled_event/start_time",
        "/payload/event/start_time",
    ],
    name: &["/payload/name", "/payload/invitee/name"],
    email: &["/payload/email", "/payload/invitee/email"],
    notes: &["/payload/questions_and_answers/0/answer"],
    token: "/payload/tracking/utm_content",
    host: "calendly.com",
};

/// `None` if the body isn't an event of this service, `Some(None)` if it isn't about a booking.
fn read(service: BookingService, body: &Value, now: Timestamp) -> Option<Option<BookingEvent>> {
    let paths = match service {
        BookingService::Cal => CAL_PATHS,
        BookingService::Calendly => CALENDLY_PATHS,
    };
    let event = text(body, &[paths.event])?;
    let is_booked = paths.booked.contains(&event);
    if !is_booked && event != paths.cancelled {
        return Some(None);
    }
    let id = text(body, paths.id)?;
    let other = |path| text(body, &[path]).filter(|other| *other != id);
    // One that is there must be readable.
    let time = |paths| text(body, paths).map(str::parse).transpose().ok();
    let starts_at = time(paths.starts_at)?;
    let fact = if is_booked {
        BookingFact::Booked {
            starts_at,
            replaces: other(paths.replaces).map(str::to_owned),
        }
    } else {
        // Calendly may mark a booking as moved without naming the new one.
        let is_moved = body.pointer("/payload/rescheduled") == Some(&Value::Bool(true));
        let new = other(paths.replaced_by).or(is_moved.then_some(""));
        BookingFact::Cancelled {
            replaced_by: new.map(str::to_owned),
        }
    };
    // The parameter may also carry text that isn't one of our tokens.
    let token = text(body, &[paths.token]).and_then(|token| Uuid::parse_str(token.trim()).ok());
    Some(Some(BookingEvent {
        service,
        id: id.to_owned(),
        at: time(paths.at)?.unwrap_or(now),
        fact,
        token: token.map(|token| token.to_string()),
        booker: booker(service, &paths, body, starts_at),
    }))
}

/// The booker as a new lead, in case no stored lead matches.
fn booker(
    service: BookingService,
    paths: &JsonPaths,
    body: &Value,
    starts_at: Option<Timestamp>,
) -> Option<NewLead> {
    let email = text(body, paths.email)?;
    let when = starts_at.map(|time| format!(" for {}", site().minute(time)));
    let when = when.unwrap_or_default();
    let plain = format!("Booked a call through {}{when}.", service.name());
    let cut = |text: &str, most| text.chars().take(most).collect::<String>();
    let parse = |name: &str, message: &str| {
        let form = ContactForm {
            name: &cut(name, MAX_NAME),
            email,
            message: &cut(message, MAX_NOTES),
            ..ContactForm::default()
        };
        Contact::parse(form).ok()
    };
    let (name, notes) = (text(body, paths.name), text(body, paths.notes));
    let message = match notes {
        Some(notes) => format!("{plain}\n\n{notes}"),
        None => plain.clone(),
    };
    let contact = parse(name.unwrap_or(email), &message);
    let contact = contact.or_else(|| parse(email, &plain))?;
    let source = Source::FIELDS.map(|field| (field == "referrer_host").then_some(paths.host));
    Some(NewLead {
        source: Source::from_values(source.map(|value| value.map(str::to_owned))),
        ..NewLead::new(contact)
    })
}

/// The first of these texts that isn't empty.
fn text<'a>(body: &'a Value, paths: &[&str]) -> Option<&'a str> {
    let mut texts = paths.iter().filter_map(|path| body.pointer(path)?.as_str());
    texts.find(|text| !text.trim().is_empty())
}
