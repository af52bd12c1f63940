//! The links in mails to the owner: a page with one button that marks one lead, without a session.
//!
//! A GET changes nothing, because mail scanners follow links. The button's POST is refused unless
//! it comes from this page.

use axum::body::Body;
use axum::extract::{Path, Query, State};
use axum::response::IntoResponse;
use http::{HeaderMap, Response, StatusCode};
use serde::Deserialize;

use super::{Shared, SharedState, is_own_origin, open_page};
use crate::domain::{one_line, sentence};
use crate::html::escape;
use crate::store::{ActionOutcome, Lead, LeadAction, LeadState, StoreError};

/// The name in the lead's history.
const WHO: &str = "a link in a mail";

/// The state, the lead's id, and the code that proves that we made the link.
type Link = Path<(String, String, String)>;

pub async fn show(
    State(shared): SharedState,
    Path(link): Link,
) -> Result<Response<Body>, NotMarked> {
    let (lead, state) = shared.linked(link).await?;
    Ok(ask(StatusCode::OK, &lead, state))
}

fn ask(status: StatusCode, lead: &Lead, state: LeadState) -> Response<Body> {
    if lead.state == state {
        return already(lead, state);
    }
    let (name, word) = (one_line(&lead.name), state.as_str());
    let now = lead.state.as_str();
    let is_marked = match lead.state {
        LeadState::New => String::new(),
        _ => format!("<p>It is marked as {now} now.</p>"),
    };
    let button = format!(
        "<form method=\"post\" action=\"?from={now}\"><button>Mark as {word}</button></form>"
    );
    let rest = [is_marked, button, at_desk(lead)].concat();
    page(status, &format!("Mark {name} as {word}?"), &rest)
}

fn page(status: StatusCode, title: &str, rest: &str) -> Response<Body> {
    open_page(
        status,
        title,
        &format!("<h1>{}</h1>\n{rest}", escape(title)),
    )
}

#[derive(Deserialize)]
pub struct Pressed {
    /// The state that the page with the button showed.
    from: Option<String>,
}

pub async fn mark(
    State(shared): SharedState,
    Path(link): Link,
    Query(Pressed { from }): Query<Pressed>,
    headers: HeaderMap,
) -> Result<Response<Body>, NotMarked> {
    if !is_own_origin(&shared, &headers) {
        return Err(NotMarked::foreign());
    }
    let (lead, state) = shared.linked(link).await?;
    if from.is_some_and(|from| from != lead.state.as_str()) {
        return Ok(ask(StatusCode::CONFLICT, &lead, state));
    }
    let store = &shared.parts.store;
    let marked = store.act_on_lead(&lead.id, LeadAction::Mark(state), Some(WHO), store.now());
    match marked.await? {
        ActionOutcome::Done(_) => {
            let title = format!("{} is marked as {}", one_line(&lead.name), state.as_str());
            Ok(page(StatusCode::OK, &title, &at_desk(&lead)))
        }
        ActionOutcome::UnknownLead => Err(NotMarked::gone()),
        ActionOutcome::Already | ActionOutcome::IsSpam => Ok(already(&lead, state)),
    }
}

fn already(lead: &Lead, state: LeadState) -> Response<Body> {
    let (name, word) = (one_line(&lead.name), state.as_str());
    let title = format!("{name} is already marked as {word}");
    page(StatusCode::OK, &title, &at_desk(lead))
}

fn at_desk(lead: &Lead) -> String {
    format!(
        "<p><a href=\"/leads/{}\">Open at the desk</a></p>",
        escape(&lead.id)
    )
}

impl Shared {
    /// The lead of a link that we made, and the state that the link sets.
    async fn linked(
        &self,
        (state, id, mac): (String, String, String),
    ) -> Result<(Lead, LeadState), NotMarked> {
        let store = &self.parts.store;
        let state = state.parse().map_err(|_| NotMarked::unknown())?;
        if store.link_key().await?.is_ours(&id, state, &mac) {
            Ok((store.lead(&id).await?.ok_or_else(NotMarked::gone)?, state))
        } else {
            Err(NotMarked::unknown())
        }
    }
}

/// Why no lead was marked: the status, the title and the text of the page.
pub struct NotMarked(StatusCode, &'static str, String);

impl NotMarked {
    /// The link isn't one of ours.
    fn unknown() -> Self {
        let text = "A part of it may be missing. Open it from the mail again.";
        Self(StatusCode::NOT_FOUND, "This link doesn't work", text.into())
    }

    fn gone() -> Self {
        Self(
            StatusCode::GONE,
            "This lead is gone",
            "It was deleted.".into(),
        )
    }

    /// The request came from another site's page.
    fn foreign() -> Self {
        let text = "This didn't come from the desk's own page. Open the link from the mail and \
            press the button there.";
        Self(StatusCode::FORBIDDEN, "Nothing was changed", text.into())
    }
}

impl From<StoreError> for NotMarked {
    fn from(error: StoreError) -> Self {
        let (title, text) = ("Try again in a moment", sentence(&error.to_string()));
        Self(StatusCode::SERVICE_UNAVAILABLE, title, text)
    }
}

impl IntoResponse for NotMarked {
    fn into_response(self) -> Response<Body> {
        let Self(status, title, text) = self;
        page(status, title, &format!("<p>{}</p>", escape(&text)))
    }
}
