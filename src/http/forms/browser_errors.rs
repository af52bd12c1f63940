//! `POST /api/browser-errors`: a part of a page failed in a visitor's browser,
//! and its owner should know. One line in the log and a count; nothing is
//! stored, and nothing in the answer tells what was done.

use std::sync::Arc;
use std::time::Instant;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use http::{HeaderMap, Request, StatusCode};

use super::body::{self, BadBody, Format, Limit, Posted};
use super::{AppParts, Refusal};
use crate::domain::BrowserError;
use crate::http::edge::client::{Client, is_same_origin};
use crate::http::edge::report_limit::Heed;
use crate::http::edge::response::{self, Answer};

const FAILURE: &str = "The report was not taken";
const LIMIT: Limit = Limit {
    bytes: 2 * 1024,
    refusal: "Body is larger than 2 KiB",
};

pub async fn report(
    State(parts): State<Arc<AppParts>>,
    Extension(client): Extension<Client>,
    request: Request<Body>,
) -> Answer {
    let (head, body) = request.into_parts();
    match read(&parts, &client, &head.headers, body).await {
        Ok(error) => {
            heed(&parts, &client, &error);
            response::bare(StatusCode::NO_CONTENT)
        }
        Err(why) => why.finish(why.problem(FAILURE)),
    }
}

/// After a panic.
pub fn failed(_: &AppParts, _: Format, _: Client) -> Answer {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR).problem(FAILURE)
}

/// In the order in which forms are checked.
async fn read(
    parts: &AppParts,
    client: &Client,
    headers: &HeaderMap,
    body: Body,
) -> Result<BrowserError, Refusal> {
    if Format::of(headers) != Some(Format::Json) {
        return Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE));
    }
    if !is_same_origin(headers, client) {
        return Err(Refusal::new(StatusCode::FORBIDDEN));
    }
    let bytes = body::read(headers, LIMIT, body, parts.body_patience).await?;
    let posted = Posted::parse(Format::Json, &bytes)?;
    let (island, message) = (posted.text("island")?, posted.text("message")?);
    let invalid = |why| BadBody(StatusCode::UNPROCESSABLE_ENTITY, why);
    Ok(BrowserError::parse(&island, &message).map_err(invalid)?)
}

fn heed(parts: &AppParts, client: &Client, error: &BrowserError) {
    let heed = parts.report_limit.heed(client.address, Instant::now());
    if heed == Heed::Ignore {
        return;
    }
    // One of a few: repeats in the log are told apart by it.
    let kind = parts.metrics.browser_error(&error.island);
    if heed == Heed::Log {
        let BrowserError { island, message } = error;
        tracing::warn!(kind, island, reason = message, "a part of a page failed");
    }
}
