//! The route table of everything that is no page.

use std::sync::Arc;

use axum::Router;
use axum::routing::post;
use http::Method;

use super::app::AppParts;
use super::contact;
use super::metrics::Class;

/// A route of the API, by its exact path.
pub struct ApiRoute {
    pub path: &'static str,
    pub class: Class,
    /// What `Allow` says.
    pub methods: &'static str,
}

const CONTACTS: &str = "/api/contacts";

const API: [ApiRoute; 1] = [ApiRoute {
    path: CONTACTS,
    class: Class::Contact,
    methods: "POST, OPTIONS",
}];

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
        .with_state(parts)
}
