//! The frame that every form goes through, in this order: in a format we know
//! (415), from our own pages (403), small and in time (413, 408), not too often
//! (429), readable (400), valid (422), stored (503). A visitor without
//! JavaScript gets a page with the same words, and what was typed, instead of
//! JSON.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use http::{HeaderMap, Request, StatusCode};
use tokio::time::{Timeout, timeout};

use super::form_body::{self, Format, Unusable};
use super::not_taken::NotTaken;
use super::posted::Posted;
use crate::domain::FieldErrors;
use crate::http::edge::body::Answer;
use crate::http::edge::client::Client;
use crate::http::edge::request_id::RequestId;
use crate::http::edge::same_origin::is_same_origin;
use crate::http::parts::AppParts;
use crate::http::site::pages::Pages;
use crate::http::site::template::{Template, Word};
use crate::store::{Result as Stored, StoreError};

/// A visitor is told of a failure rather than left waiting for the store.
const STORE_PATIENCE: Duration = Duration::from_secs(5);

/// A form as it was filled in.
pub trait Filled: Default + Send + Sync + 'static {
    fn read(posted: &Posted<'_>) -> Result<Self, Unusable>;

    /// What a visitor wrote, by the names of the fields.
    fn typed(&self) -> Vec<(&'static str, &str)>;

    /// What the page has to carry unseen.
    fn carried(&self) -> Vec<(&'static str, Cow<'_, str>)>;
}

/// What one form has of its own.
pub trait Form: Filled {
    /// The form's own name for the element that tells what is wrong.
    const STATUS: &'static str;
    /// What is stored.
    type Checked: Send;
    /// What is known of it afterwards.
    type Receipt: Send;

    fn check(&self, arrival: &Arrival<'_>) -> Result<Self::Checked, FieldErrors>;

    fn store(
        arrival: &Arrival<'_>,
        checked: Self::Checked,
    ) -> impl Future<Output = Stored<Self::Receipt>> + Send;

    /// Tells the log; without an error the store did not answer in time.
    fn not_stored(error: Option<StoreError>);

    fn accepted(arrival: &Arrival<'_>, receipt: &Self::Receipt) -> Answer;

    /// The words for a failure that is nobody's fault but ours.
    fn failure() -> &'static str;

    /// The page that shows the form once more.
    fn page(pages: &Pages) -> &Template;
}

/// How a form came in.
pub struct Arrival<'a> {
    pub parts: &'a AppParts,
    pub client: Client,
    pub request_id: RequestId,
    pub headers: &'a HeaderMap,
    pub format: Format,
}

pub async fn submit<F: Form>(
    State(parts): State<Arc<AppParts>>,
    Extension(client): Extension<Client>,
    Extension(request_id): Extension<RequestId>,
    request: Request<Body>,
) -> Answer {
    let (head, body) = request.into_parts();
    let format = Format::of(&head.headers);
    let arrival = Arrival {
        parts: &parts,
        client,
        request_id,
        headers: &head.headers,
        format: format.unwrap_or(Format::Json),
    };
    let mut form = F::default();
    let outcome = match format {
        Some(_) => accept(&arrival, body, &mut form).await,
        None => Err(NotTaken::failed(StatusCode::UNSUPPORTED_MEDIA_TYPE)),
    };
    match outcome {
        Ok(receipt) => F::accepted(&arrival, &receipt),
        Err(why) => refuse(&parts, arrival.format, client, &form, &why),
    }
}

/// After a panic; the words went with it.
pub fn failed<F: Form>(parts: &AppParts, format: Format, client: Client) -> Answer {
    let why = NotTaken::failed(StatusCode::INTERNAL_SERVER_ERROR);
    refuse(parts, format, client, &F::default(), &why)
}

/// Gives up on a store that does not answer.
pub fn in_time<W: Future>(work: W) -> Timeout<W> {
    timeout(STORE_PATIENCE, work)
}

/// Fills `form` as soon as it is read: the words are kept when a later check
/// fails.
async fn accept<F: Form>(
    arrival: &Arrival<'_>,
    body: Body,
    form: &mut F,
) -> Result<F::Receipt, NotTaken> {
    let parts = arrival.parts;
    if !is_same_origin(arrival.headers, &arrival.client) {
        return Err(NotTaken::failed(StatusCode::FORBIDDEN));
    }
    let bytes = form_body::read(
        arrival.headers,
        arrival.format.limit(),
        body,
        parts.body_patience,
    )
    .await?;
    let read = Posted::parse(arrival.format, &bytes).and_then(|posted| F::read(&posted));
    // An unreadable body counts as a post too.
    if let Err(pause) = parts.rate_limit.admit(arrival.client.address) {
        *form = read.unwrap_or_default();
        return Err(NotTaken::too_often(pause));
    }
    *form = read?;
    let checked = form.check(arrival)?;
    match in_time(F::store(arrival, checked)).await {
        Ok(Ok(receipt)) => Ok(receipt),
        failed => {
            F::not_stored(failed.ok().and_then(Result::err));
            Err(NotTaken::failed(StatusCode::SERVICE_UNAVAILABLE))
        }
    }
}

fn refuse<F: Form>(
    parts: &AppParts,
    format: Format,
    client: Client,
    form: &F,
    why: &NotTaken,
) -> Answer {
    why.finish(match format {
        Format::Json => why.problem(F::failure()),
        Format::Form => {
            let pages = parts.pages.load();
            F::page(&pages).answer(why.status, client.tls, &words(form, why))
        }
    })
}

/// The words of the page that shows the form once more.
pub fn words<'a, F: Form>(form: &'a F, why: &'a NotTaken) -> Vec<Word<'a>> {
    let message = why.message(F::failure());
    let mut words: Vec<Word<'a>> = vec![("message".into(), message.into())];
    for (field, word) in form.typed() {
        let (invalid, described) = match why.is_about(field) {
            true => ("true", F::STATUS),
            false => ("false", ""),
        };
        // Where `message` would stand, that of the whole form does.
        let place = if field == "message" { "body" } else { field };
        words.push((place.into(), word.into()));
        words.push((format!("{field}_invalid").into(), invalid.into()));
        words.push((format!("{field}_described").into(), described.into()));
    }
    let carried = form.carried().into_iter();
    words.extend(carried.map(|(name, word)| (name.into(), word)));
    words
}
