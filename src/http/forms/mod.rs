//! Visitors' submissions: the contact form, the newsletter form and the links in newsletter mails.
//!
//! Both forms pass the same checks, in this order: format (415), origin (403), size and time of the
//! body (413, 408), rate limit (429), shape (400), fields (422), storing (503). A visitor without
//! JavaScript gets a page with the same message and the entered text instead of JSON.

pub mod body;
pub mod contact;
pub mod newsletter;

use std::borrow::Cow;

use axum::body::Body;
use http::StatusCode;

use self::body::{Format, Posted};
use self::contact::ContactPost;
use self::newsletter::NewsletterPost;
use super::edge::client::is_same_origin;
use super::edge::response::HttpResponse;
use super::request::{ApiRequest, Refusal};
use super::site::TemplatePlaceholders;
use super::site::resource::PlaceholderValue;

/// A form's fields, checks, storage and responses.
pub trait Form: Default + Send + Sync + 'static {
    /// The template of the page that shows the form again.
    const TEMPLATE: &'static str;
    /// The id of the element that shows the error.
    const STATUS_ELEMENT: &'static str;

    fn read(posted: &Posted<'_>) -> Result<Self, Refusal>;

    /// The visitor's text, by field name.
    fn entered(&self) -> Vec<(&'static str, &str)>;

    /// The hidden fields of the page that shows the form again.
    fn hidden_fields(&self) -> Vec<(&'static str, Cow<'_, str>)> {
        Vec::new()
    }

    /// Checks and stores the form.
    fn accept(
        &self,
        request: &ApiRequest,
    ) -> impl Future<Output = Result<HttpResponse, Refusal>> + Send;

    /// The message for a failure on our side.
    fn failure() -> &'static str;
}

pub async fn submit<F: Form>(request: &ApiRequest, body: Body) -> HttpResponse {
    let mut form = F::default();
    let outcome = receive(request, body, &mut form).await;
    outcome.unwrap_or_else(|refusal| refusal.answer(request, &form))
}

/// The response after a panic; the entered text is lost.
pub fn failed<F: Form>(request: &ApiRequest) -> HttpResponse {
    Refusal::new(StatusCode::INTERNAL_SERVER_ERROR).answer(request, &F::default())
}

/// Sets `form` as soon as the body is read, so that the entered text survives a failed check.
async fn receive<F: Form>(
    request: &ApiRequest,
    body: Body,
    form: &mut F,
) -> Result<HttpResponse, Refusal> {
    let (state, headers) = (&request.state, &request.head.headers);
    let format = Format::from_headers(headers);
    let format = format.ok_or_else(|| Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE))?;
    if !is_same_origin(headers, &request.client) {
        return Err(Refusal::new(StatusCode::FORBIDDEN));
    }
    let bytes = request.read(body, format.limit()).await?;
    let read = Posted::parse(format, &bytes).and_then(|posted| F::read(&posted));
    // An unreadable body counts towards the rate limit, too.
    if let Err(pause) = state.rate_limit.admit(request.client.address) {
        *form = read.unwrap_or_default();
        return Err(Refusal::too_often(pause));
    }
    *form = read?;
    form.accept(request).await
}

impl Refusal {
    fn answer<F: Form>(&self, request: &ApiRequest, form: &F) -> HttpResponse {
        self.finish(match request.format() {
            Format::Json => self.problem(F::failure()),
            Format::Form => {
                let pages = request.state.releases.pages();
                let page = pages.template(F::TEMPLATE);
                let values = placeholder_values(form, self);
                page.answer(self.status, request.client.tls, &values)
            }
        })
    }
}

fn placeholder_values<'a, F: Form>(form: &'a F, refusal: &'a Refusal) -> Vec<PlaceholderValue<'a>> {
    let message = refusal.message.as_deref().unwrap_or(F::failure());
    let mut values: Vec<PlaceholderValue<'a>> = vec![("message".into(), message.into())];
    for (field, text) in form.entered() {
        let is_wrong = refusal.fields.iter().any(|error| error.field == field);
        let (invalid, described) = if is_wrong {
            ("true", F::STATUS_ELEMENT)
        } else {
            ("false", "")
        };
        // The placeholder `message` is the whole form's message.
        let placeholder = if field == "message" { "body" } else { field };
        values.push((placeholder.into(), text.into()));
        values.push((format!("{field}_invalid").into(), invalid.into()));
        values.push((format!("{field}_described").into(), described.into()));
    }
    let hidden_fields = form.hidden_fields().into_iter();
    values.extend(hidden_fields.map(|(name, value)| (name.into(), value)));
    values
}

/// The templates that handlers use, and the placeholders that they fill in. A release that lacks a
/// template, or whose templates have other placeholders, is refused.
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
    (F::TEMPLATE, values.map(|(name, _)| name).collect())
}
