//! The route table of everything that is no page.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use http::Method;

use super::app::AppParts;
use super::edge::body::Answer;
use super::edge::client::Client;
use super::forms::form_body::Format;
use super::forms::{contact, links, newsletter};
use super::ops::metrics::Class;

/// A route of the API, by its exact path.
pub struct ApiRoute {
    pub path: &'static str,
    pub class: Class,
    /// What `Allow` says.
    pub methods: &'static str,
    /// The answer when its handler broke down.
    pub failed: fn(&AppParts, Format, Client) -> Answer,
}

const CONTACTS: &str = "/api/contacts";

const NEWSLETTER: &str = "/api/newsletter";
const CONFIRM: &str = "/newsletter/confirm";
const UNSUBSCRIBE: &str = "/newsletter/unsubscribe";

const POST: &str = "POST, OPTIONS";
const GET_AND_POST: &str = "GET, HEAD, POST, OPTIONS";

const API: [ApiRoute; 4] = [
    ApiRoute {
        path: CONTACTS,
        class: Class::Contact,
        methods: POST,
        failed: contact::failed,
    },
    ApiRoute {
        path: NEWSLETTER,
        class: Class::Newsletter,
        methods: POST,
        failed: newsletter::failed,
    },
    link(CONFIRM),
    link(UNSUBSCRIBE),
];

const fn link(path: &'static str) -> ApiRoute {
    ApiRoute {
        path,
        class: Class::Newsletter,
        methods: GET_AND_POST,
        failed: links::failed,
    }
}

impl ApiRoute {
    pub fn allows(&self, method: &Method) -> bool {
        self.methods.split(", ").any(|known| known == method)
    }
}

pub fn api_route(path: &str) -> Option<&'static ApiRoute> {
    API.iter().find(|route| route.path == path)
}

pub fn router(parts: Arc<AppParts>) -> Router {
    Router::new()
        .route(CONTACTS, post(contact::submit))
        .route(NEWSLETTER, post(newsletter::submit))
        .route(CONFIRM, get(links::ask_to_confirm).post(links::confirm))
        .route(
            UNSUBSCRIBE,
            get(links::ask_to_unsubscribe).post(links::unsubscribe),
        )
        .with_state(parts)
}
