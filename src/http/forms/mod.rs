//! Visitors' submissions: the contact form, the newsletter form, and the links in newsletter mails.
//!
//! Both forms go through the same steps: known format (415), same origin (403), body within limits
//! (413, 408), rate limit (429), readable (400), valid (422), stored (503). A visitor without
//! JavaScript gets a page with the same message and the entered text instead of JSON.

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
use crate::http::site::template::{PlaceholderName, Template, Word};
use crate::http::site::{PageTable, TemplateWords};
use crate::store::{DeliveryKind, Result as Stored, SpamWeights, Store};

/// A visitor gets an error rather than waiting longer for the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// The dependencies of the handlers.
pub struct AppParts {
    pub site: Arc<ReleaseWatcher>,
    pub metrics: Arc<Metrics>,
    pub store: Store,
    pub spam_weights: SpamWeights,
    /// The deliveries created for each new lead, as configured.
    pub deliveries: Vec<DeliveryKind>,
    /// Whether a mail server is configured to confirm subscriptions.
    pub confirm_by_mail: bool,
    pub rate_limit: RateLimit,
    /// For requests to links in mails.
    pub link_limit: RateLimit,
    /// Limits how many of these query the store at once, so that a connection stays free for leads.
    pub link_permits: Semaphore,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

/// A form's fields, checks, storage and answers.
pub trait Form: Default + Send + Sync + 'static {
    /// Its name in the log.
    const NOUN: &'static str;
    /// The id of the element that shows the error.
    const STATUS: &'static str;
    /// The validated form, ready to be stored.
    type Checked: Send;
    /// The result of storing it.
    type Receipt: Send;

    fn read(posted: &Posted<'_>) -> Result<Self, BadBody>;

    /// The visitor's text, by field name.
    fn typed(&self) -> Vec<(&'static str, &str)>;

    /// The hidden fields of the page that shows the form again.
    fn carried(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        Vec::new()
    }

    fn check(&self, submission: &Submission<'_>) -> Result<Self::Checked, FieldErrors>;

    fn store(
        submission: &Submission<'_>,
        checked: Self::Checked,
    ) -> impl Future<Output = Stored<Self::Receipt>> + Send;

    fn accepted(submission: &Submission<'_>, receipt: &Self::Receipt) -> Answer;

    /// The message for a failure on our side.
    fn failure() -> &'static str;

    /// The page that shows the form again.
    fn page(pages: &PageTable) -> &Template;
}

/// The context of a submitted form.
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

/// The answer after a panic; the entered text is lost.
pub fn failed<F: Form>(parts: &AppParts, format: Format, client: Client) -> Answer {
    let refusal = Refusal::new(StatusCode::INTERNAL_SERVER_ERROR);
    refusal.answer(parts, format, client, &F::default())
}

/// Times out if the store doesn't answer.
pub fn in_time<W: Future>(work: W) -> Timeout<W> {
    timeout(STORE_TIMEOUT, work)
}

/// Sets `form` as soon as the body is read, so that the entered text survives a failed check.
async fn accept<F: Form>(
    submission: &Submission<'_>,
    body: Body,
    form: &mut F,
) -> Result<F::Receipt, Refusal> {
    let (parts, format) = (submission.parts, submission.format);
    if !is_same_origin(submission.headers, &submission.client) {
        return Err(Refusal::new(StatusCode::FORBIDDEN));
    }
    let limit = parts.body_timeout;
    let bytes = body::read(submission.headers, format.limit(), body, limit).await?;
    let read = Posted::parse(format, &bytes).and_then(|posted| F::read(&posted));
    // An unreadable body counts as a post, too.
    if let Err(pause) = parts.rate_limit.admit(submission.client.address) {
        *form = read.unwrap_or_default();
        return Err(Refusal::too_often(pause));
    }
    *form = read?;
    let checked = form.check(submission)?;
    match in_time(F::store(submission, checked)).await {
        Ok(Ok(receipt)) => return Ok(receipt),
        // The store logs its failure once, however many forms are affected.
        Ok(Err(error)) => tracing::debug!(%error, "{} could not be stored", F::NOUN),
        Err(_) => tracing::error!("{} could not be stored in time", F::NOUN),
    }
    Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE))
}

/// Why a form was rejected.
#[derive(Debug)]
pub struct Refusal {
    pub status: StatusCode,
    /// For developers.
    title: Option<&'static str>,
    /// For the visitor; `None` means the form's failure message.
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

    /// The answer to clients that sent JSON.
    pub fn problem(&self, failure: &str) -> Answer {
        Problem::new(self.status, self.message.as_deref().unwrap_or(failure))
            .titled(self.title)
            .with_fields(&self.fields)
            .answer()
    }

    /// Adds the headers for the connection and the next attempt.
    pub fn finish(&self, mut answer: Answer) -> Answer {
        let headers = answer.headers_mut();
        let (slow, large) = (StatusCode::REQUEST_TIMEOUT, StatusCode::PAYLOAD_TOO_LARGE);
        if [slow, large].contains(&self.status) {
            // The rest of the body isn't read.
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        if let Some(pause) = self.retry_after {
            // Rounded up: a client that retries exactly then must succeed.
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

/// The words for the page that shows the form again.
fn words<'a, F: Form>(form: &'a F, refusal: &'a Refusal) -> Vec<Word<'a>> {
    let message = refusal.message.as_deref().unwrap_or(F::failure());
    let mut words: Vec<Word<'a>> = vec![("message".into(), message.into())];
    for (field, word) in form.typed() {
        let is_wrong = refusal.fields.iter().any(|error| error.field == field);
        let (invalid, described) = match is_wrong {
            true => ("true", F::STATUS),
            false => ("false", ""),
        };
        // The placeholder `message` is the whole form's message.
        let place = if field == "message" { "body" } else { field };
        words.push((place.into(), word.into()));
        words.push((format!("{field}_invalid").into(), invalid.into()));
        words.push((format!("{field}_described").into(), described.into()));
    }
    let carried = form.carried().into_iter();
    words.extend(carried.map(|(name, word)| (name.into(), word)));
    words
}

/// The placeholders that handlers fill in the form templates. A release whose templates have others
/// is rejected.
pub fn template_words() -> [TemplateWords; 2] {
    [
        ("contact-outcome", names::<contact::ContactPost>()),
        ("newsletter-refused", names::<newsletter::NewsletterPost>()),
    ]
}

fn names<F: Form>() -> Vec<PlaceholderName> {
    let (form, refusal) = (F::default(), Refusal::new(StatusCode::OK));
    let words = words(&form, &refusal).into_iter();
    words.map(|(name, _)| name).collect()
}
