//! The route table of everything that is no page.

use std::sync::Arc;

use axum::Router;
use axum::routing::{get, post};
use http::Method;

use super::app::AppParts;
use super::metrics::Class;
use super::{contact, newsletter, newsletter_links as links};

/// A route of the API, by its exact path.
pub struct ApiRoute {
    pub path: &'static str,
    pub class: Class,
    /// What `Allow` says.
    pub methods: &'static str,
}

const CONTACTS: &str = "/api/contacts";

const NEWSLETTER: &str = "/api/newsletter";
const CONFIRM: &str = "/newsletter/confirm";
const UNSUBSCRIBE: &str = "/newsletter/unsubscribe";

const POST: &str = "POST, OPTIONS";
const GET_AND_POST: &str = "GET, HEAD, POST, OPTIONS";

const API: [ApiRoute; 4] = [
    ApiRoute::new(CONTACTS, Class::Contact, POST),
    ApiRoute::new(NEWSLETTER, Class::Newsletter, POST),
    ApiRoute::new(CONFIRM, Class::Newsletter, GET_AND_POST),
    ApiRoute::new(UNSUBSCRIBE, Class::Newsletter, GET_AND_POST),
];

impl ApiRoute {
    const fn new(path: &'static str, class: Class, methods: &'static str) -> Self {
        Self {
            path,
            class,
            methods,
        }
    }

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
