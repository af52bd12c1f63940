//! The body of our answers: bytes at hand, or what a handler made.

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, HeaderValue};
use http::{Response, StatusCode};
use http_body_util::{Either, Full};
use serde::Serialize;

pub type AnswerBody = Either<Full<Bytes>, axum::body::Body>;
pub type Answer = Response<AnswerBody>;

/// Bytes that are already in memory.
pub fn bytes(bytes: Bytes) -> AnswerBody {
    Either::Left(Full::new(bytes))
}

pub fn empty() -> AnswerBody {
    bytes(Bytes::new())
}

/// Nothing but a status, so far.
pub fn bare(status: StatusCode) -> Answer {
    let mut answer = Answer::new(empty());
    *answer.status_mut() = status;
    answer
}

/// For one caller: nobody may keep it.
pub fn private(status: StatusCode, media_type: &'static str, body: Bytes) -> Answer {
    let mut answer = bare(status);
    let headers = answer.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(CONTENT_LENGTH, body.len().into());
    *answer.body_mut() = bytes(body);
    answer
}

pub fn json(status: StatusCode, media_type: &'static str, value: &impl Serialize) -> Answer {
    let json = serde_json::to_vec(value).expect("strings and numbers only");
    private(status, media_type, json.into())
}
