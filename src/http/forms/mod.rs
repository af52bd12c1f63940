//! Visitors' submissions: the contact form, the newsletter form, the links in newsletter mails, and
//! what booking services tell of visitors.
//!
//! Both forms go through the same steps: known format (415), same origin (403), body within limits
//! (413, 408), rate limit (429), readable (400), valid (422), stored (503). A visitor without
//! JavaScript gets a page with the same message and the entered text instead of JSON.

pub mod body;
pub mod bookings;
pub mod contact;
pub mod newsletter;

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use http::StatusCode;
use http::header::{CONNECTION, HeaderValue, RETRY_AFTER};
use http::request::Parts;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use self::body::{BadBody, Format, Posted};
use self::contact::ContactPost;
use self::newsletter::NewsletterPost;
use crate::config::BookingSettings;
use crate::domain::{FieldError, FieldErrors};
use crate::http::edge::client::{Client, is_same_origin};
use crate::http::edge::rate_limit::RateLimit;
use crate::http::edge::request_log::RequestId;
use crate::http::edge::response::{Answer, Problem};
use crate::http::ops::Metrics;
use crate::http::site::TemplatePlaceholders;
use crate::http::site::release_watcher::ReleaseWatcher;
use crate::http::site::resource::PlaceholderValue;
use crate::store::{DeliveryKind, Result as Stored, SpamWeights, Store, VisitCounter};

/// A visitor gets an error rather than waiting longer for the store.
const STORE_TIMEOUT: Duration = Duration::from_secs(5);

/// The dependencies of the handlers.
pub struct AppParts {
    pub site: Arc<ReleaseWatcher>,
    pub metrics: Arc<Metrics>,
    pub store: Store,
    /// `None` if visits aren't counted.
    pub visits: Option<Arc<VisitCounter>>,
    pub spam_weights: SpamWeights,
    /// The deliveries created for each new lead, as configured.
    pub deliveries: Vec<DeliveryKind>,
    pub bookings: BookingSettings,
    /// Whether a mail server is configured to confirm subscriptions.
    pub confirm_by_mail: bool,
    pub rate_limit: RateLimit,
    /// For requests to links in mails.
    pub link_limit: RateLimit,
    /// Limits how many of these query the store at once, so that leads never wait for them.
    pub link_permits: Semaphore,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
}

/// A request to a handler, without its body.
pub struct ApiRequest {
    pub parts: Arc<AppParts>,
    pub client: Client,
    pub request_id: RequestId,
    pub head: Parts,
}

impl ApiRequest {
    /// The format of the post and of its answer. An unknown one is answered with JSON, as elsewhere.
    pub fn format(&self) -> Format {
        Format::of(&self.head.headers).unwrap_or(Format::Json)
    }
}

/// A form's fields, checks, storage and answers.
pub trait Form: Default + Send + Sync + 'static {
    /// The template of the page that shows the form again.
    const PAGE: &'static str;
    /// The id of the element that shows the error.
    const STATUS: &'static str;

    fn read(posted: &Posted<'_>) -> Result<Self, BadBody>;

    /// The visitor's text, by field name.
    fn typed(&self) -> Vec<(&'static str, &str)>;

    /// The hidden fields of the page that shows the form again.
    fn carried(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        Vec::new()
    }

    /// Checks and stores the form.
    fn accept(&self, request: &ApiRequest) -> impl Future<Output = Result<Answer, Refusal>> + Send;

    /// The message for a failure on our side.
    fn failure() -> &'static str;
}

pub async fn submit<F: Form>(request: Arc<ApiRequest>, body: Body) -> Answer {
    let mut form = F::default();
    let outcome = receive(&request, body, &mut form).await;
    outcome.unwrap_or_else(|refusal| refusal.answer(&request, &form))
}

/// The answer after a panic; the entered text is lost.
pub fn failed<F: Form>(request: &ApiRequest) -> Answer {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR).answer(request, &F::default())
}

/// Sets `form` as soon as the body is read, so that the entered text survives a failed check.
async fn receive<F: Form>(
    request: &ApiRequest,
    body: Body,
    form: &mut F,
) -> Result<Answer, Refusal> {
    let (parts, headers) = (&request.parts, &request.head.headers);
    let format = Format::of(headers);
    let format = format.ok_or_else(|| Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE))?;
    if !is_same_origin(headers, &request.client) {
        return Err(Refusal::new(StatusCode::FORBIDDEN));
    }
    let bytes = body::read(body, format.limit(), parts.body_timeout).await?;
    let read = Posted::parse(format, &bytes).and_then(|posted| F::read(&posted));
    // An unreadable body counts as a post, too.
    if let Err(pause) = parts.rate_limit.admit(request.client.address) {
        *form = read.unwrap_or_default();
        return Err(Refusal::too_often(pause));
    }
    *form = read?;
    form.accept(request).await
}

/// Waits for the store, but not for long. `failure` is for the log.
pub async fn in_time<T>(
    failure: &str,
    work: impl Future<Output = Stored<T>>,
) -> Result<T, Refusal> {
    match timeout(STORE_TIMEOUT, work).await {
        Ok(Ok(done)) => return Ok(done),
        // The store logs its failure once, however many requests are affected.
        Ok(Err(error)) => tracing::debug!(%error, "{failure}"),
        Err(_) => tracing::error!("{failure} in time; the visitor was told to try again"),
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

    fn answer<F: Form>(&self, request: &ApiRequest, form: &F) -> Answer {
        self.finish(match request.format() {
            Format::Json => self.problem(F::failure()),
            Format::Form => {
                let pages = request.parts.site.pages();
                let page = pages.template(F::PAGE);
                let values = placeholder_values(form, self);
                page.answer(self.status, request.client.tls, &values)
            }
        })
    }

    /// The answer to clients that sent JSON.
    fn problem(&self, failure: &str) -> Answer {
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

/// For the page that shows the form again.
fn placeholder_values<'a, F: Form>(form: &'a F, refusal: &'a Refusal) -> Vec<PlaceholderValue<'a>> {
    let message = refusal.message.as_deref().unwrap_or(F::failure());
    let mut values: Vec<PlaceholderValue<'a>> = vec![("message".into(), message.into())];
    for (field, text) in form.typed() {
        let is_wrong = refusal.fields.iter().any(|error| error.field == field);
        let (invalid, described) = if is_wrong {
            ("true", F::STATUS)
        } else {
            ("false", "")
        };
        // The placeholder `message` is the whole form's message.
        let placeholder = if field == "message" { "body" } else { field };
        values.push((placeholder.into(), text.into()));
        values.push((format!("{field}_invalid").into(), invalid.into()));
        values.push((format!("{field}_described").into(), described.into()));
    }
    let carried = form.carried().into_iter();
    values.extend(carried.map(|(name, value)| (name.into(), value)));
    values
}

/// The templates that handlers answer with, and the placeholders that they fill in. A release that
/// lacks one, or whose templates have other placeholders, is rejected.
pub fn template_placeholders() -> Vec<TemplatePlaceholders> {
    let mut templates = vec![
        form_template::<ContactPost>(),
        form_template::<NewsletterPost>(),
    ];
    templates.extend(newsletter::PAGES.map(|name| (name, Vec::new())));
    templates
}

fn form_template<F: Form>() -> TemplatePlaceholders {
    let (form, refusal) = (F::default(), Refusal::new(StatusCode::OK));
    let values = placeholder_values(&form, &refusal).into_iter();
    (F::PAGE, values.map(|(name, _)| name).collect())
}
