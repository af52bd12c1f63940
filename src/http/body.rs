//! The body of our answers: bytes at hand, or what a handler made.

use bytes::Bytes;
use http::Response;
use http_body_util::{Either, Full};

pub type AnswerBody = Either<Full<Bytes>, axum::body::Body>;
pub type Answer = Response<AnswerBody>;

/// Bytes that are already in memory.
pub fn bytes(bytes: Bytes) -> AnswerBody {
    Either::Left(Full::new(bytes))
}

pub fn empty() -> AnswerBody {
    bytes(Bytes::new())
}
