//! What visitors send: the contact form, the newsletter's, and the links in the
//! newsletter's mails.
//!
//! Both forms are taken in this order: in a format we know (415), from our own
//! pages (403), small and in time (413, 408), not too often (429), readable
//! (400), valid (422), stored (503). A visitor without JavaScript gets a page
//! with the same words, and what was typed, instead of JSON.

pub mod body;
pub mod contact;
pub mod newsletter;
pub mod newsletter_links;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use http::{HeaderMap, Request, StatusCode};
use tokio::sync::Semaphore;
use tokio::time::{Timeout, timeout};

use self::body::{BadBody, Format, Posted};
use crate::domain::{FieldError, FieldErrors};
use crate::http::edge::client::{Client, is_same_origin};
use crate::http::edge::rate_limit::RateLimit;
use crate::http::edge::request_log::RequestId;
use crate::http::edge::response::{Answer, Problem};
use crate::http::ops::metrics::Metrics;
use crate::http::site::release_watcher::ReleaseWatcher;
use crate::http::site::template::{PlaceName, Template, Word};
use crate::http::site::{PageTable, TemplateWords};
use crate::store::{DeliveryKind, Result as Stored, SpamWeights, Store};

/// A visitor is told of a failure rather than left waiting for the store.
const STORE_PATIENCE: Duration = Duration::from_secs(5);

/// What handlers work with.
pub struct AppParts {
    pub site: Arc<ReleaseWatcher>,
    pub metrics: Arc<Metrics>,
    pub store: Store,
    /// What is known of spam.
    pub spam_weights: SpamWeights,
    /// What each new lead calls for, by the settings.
    pub deliveries: Vec<DeliveryKind>,
    /// There is a mail server through which subscriptions are confirmed.
    pub confirm_by_mail: bool,
    pub rate_limit: RateLimit,
    /// Visits of the links in mails.
    pub link_limit: RateLimit,
    /// Few of them ask the store at once, so that a lead always finds a connection.
    pub link_turns: Semaphore,
    /// How long a body may take to arrive.
    pub body_patience: Duration,
}

/// A form as it was filled in, and what becomes of it.
pub trait Form: Default + Send + Sync + 'static {
    /// What the log calls one.
    const NOUN: &'static str;
    /// The id of the element that says what is wrong.
    const STATUS: &'static str;
    /// What is stored.
    type Checked: Send;
    /// What is known of it afterwards.
    type Receipt: Send;

    fn read(posted: &Posted<'_>) -> Result<Self, BadBody>;

    /// What a visitor wrote, by the names of the fields.
    fn typed(&self) -> Vec<(&'static str, &str)>;

    /// What the page that shows the form again carries unseen.
    fn carried(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        Vec::new()
    }

    fn check(&self, submission: &Submission<'_>) -> Result<Self::Checked, FieldErrors>;

    fn store(
        submission: &Submission<'_>,
        checked: Self::Checked,
    ) -> impl Future<Output = Stored<Self::Receipt>> + Send;

    fn accepted(submission: &Submission<'_>, receipt: &Self::Receipt) -> Answer;

    /// The words for a failure that is nobody's fault but ours.
    fn failure() -> &'static str;

    /// The page that shows the form again.
    fn page(pages: &PageTable) -> &Template;
}

/// How a form came in.
pub struct Submission<'a> {
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
    let submission = Submission {
        parts: &parts,
        client,
        request_id,
        headers: &head.headers,
        format: format.unwrap_or(Format::Json),
    };
    let mut form = F::default();
    let outcome = match format {
        Some(_) => accept(&submission, body, &mut form).await,
        None => Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE)),
    };
    match outcome {
        Ok(receipt) => F::accepted(&submission, &receipt),
        Err(refusal) => refusal.answer(&parts, submission.format, client, &form),
    }
}

/// After a panic; what was typed went with it.
pub fn failed<F: Form>(parts: &AppParts, format: Format, client: Client) -> Answer {
    let refusal = Refusal::new(StatusCode::INTERNAL_SERVER_ERROR);
    refusal.answer(parts, format, client, &F::default())
}

/// Gives up on a store that does not answer.
pub fn in_time<W: Future>(work: W) -> Timeout<W> {
    timeout(STORE_PATIENCE, work)
}

/// Fills `form` as soon as it is read: what was typed is kept when a later check
/// fails.
async fn accept<F: Form>(
    submission: &Submission<'_>,
    body: Body,
    form: &mut F,
) -> Result<F::Receipt, Refusal> {
    let (parts, format) = (submission.parts, submission.format);
    if !is_same_origin(submission.headers, &submission.client) {
        return Err(Refusal::new(StatusCode::FORBIDDEN));
    }
    let patience = parts.body_patience;
    let bytes = body::read(submission.headers, format.limit(), body, patience).await?;
    let read = Posted::parse(format, &bytes).and_then(|posted| F::read(&posted));
    // An unreadable body counts as a post too.
    if let Err(pause) = parts.rate_limit.admit(submission.client.address) {
        *form = read.unwrap_or_default();
        return Err(Refusal::too_often(pause));
    }
    *form = read?;
    let checked = form.check(submission)?;
    match in_time(F::store(submission, checked)).await {
        Ok(Ok(receipt)) => return Ok(receipt),
        // The store says so once, however many forms it concerns.
        Ok(Err(error)) => tracing::debug!(%error, "{} could not be stored", F::NOUN),
        Err(_) => tracing::error!("{} could not be stored in time", F::NOUN),
    }
    Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE))
}

/// Why a form was not taken.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    /// For developers.
    title: Option<&'static str>,
    /// For the visitor; `None`: the form's own words for a failure.
    message: Option<String>,
    fields: Vec<FieldError>,
    retry_after: Option<Duration>,
}

impl Refusal {
    pub fn new(status: StatusCode) -> Self {
        Self {
            status,
            title: None,
            message: None,
            fields: Vec::new(),
            retry_after: None,
        }
    }

    pub fn too_often(pause: Duration) -> Self {
        Self {
            retry_after: Some(pause),
            ..Self::new(StatusCode::TOO_MANY_REQUESTS)
        }
    }

    fn answer<F: Form>(
        &self,
        parts: &AppParts,
        format: Format,
        client: Client,
        form: &F,
    ) -> Answer {
        self.finish(match format {
            Format::Json => self.problem(F::failure()),
            Format::Form => {
                let pages = parts.site.pages();
                F::page(&pages).answer(self.status, client.tls, &words(form, self))
            }
        })
    }

    /// For callers that speak JSON.
    pub fn problem(&self, failure: &str) -> Answer {
        Problem::new(self.status, self.message.as_deref().unwrap_or(failure))
            .titled(self.title)
            .with_fields(&self.fields)
            .answer()
    }

    /// Adds what it means for the connection and the next attempt.
    pub fn finish(&self, mut answer: Answer) -> Answer {
        let headers = answer.headers_mut();
        let (slow, large) = (StatusCode::REQUEST_TIMEOUT, StatusCode::PAYLOAD_TOO_LARGE);
        if [slow, large].contains(&self.status) {
            // The rest of the body is not waited for.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(pause) = self.retry_after {
            // Whole seconds, rounded up: a retry just in time must succeed.
            let seconds = pause.as_secs() + u64::from(pause.subsec_nanos() > 0);
            headers.insert(RETRY_AFTER, seconds.max(1).into());
        }
        answer
    }
}

impl From<BadBody> for Refusal {
    fn from(BadBody(status, title): BadBody) -> Self {
        Self {
            title: Some(title),
            ..Self::new(status)
        }
    }
}

impl From<FieldErrors> for Refusal {
    fn from(errors: FieldErrors) -> Self {
        Self {
            message: Some(errors.summary().to_owned()),
            fields: errors.as_slice().to_vec(),
            ..Self::new(StatusCode::UNPROCESSABLE_ENTITY)
        }
    }
}

/// The words of the page that shows the form again.
fn words<'a, F: Form>(form: &'a F, refusal: &'a Refusal) -> Vec<Word<'a>> {
    let message = refusal.message.as_deref().unwrap_or(F::failure());
    let mut words: Vec<Word<'a>> = vec![("message".into(), message.into())];
    for (field, word) in form.typed() {
        let is_wrong = refusal.fields.iter().any(|error| error.field == field);
        let (invalid, described) = match is_wrong {
            true => ("true", F::STATUS),
            false => ("false", ""),
        };
        // `message` is the place of the whole form's message.
        let place = if field == "message" { "body" } else { field };
        words.push((place.into(), word.into()));
        words.push((format!("{field}_invalid").into(), invalid.into()));
        words.push((format!("{field}_described").into(), described.into()));
    }
    let carried = form.carried().into_iter();
    words.extend(carried.map(|(name, word)| (name.into(), word)));
    words
}

/// The places that handlers fill in the templates of the forms. A release whose
/// templates have others is refused.
pub fn template_words() -> [TemplateWords; 2] {
    [
        ("contact-outcome", names::<contact::ContactPost>()),
        ("newsletter-refused", names::<newsletter::NewsletterPost>()),
    ]
}

fn names<F: Form>() -> Vec<PlaceName> {
    let (form, refusal) = (F::default(), Refusal::new(StatusCode::OK));
    let words = words(&form, &refusal).into_iter();
    words.map(|(name, _)| name).collect()
}
