//! What visitors meet: the pages and the API.
//!
//! [`App`] answers every request in this order: one that breaks HTTP's rules,
//! by a 400; a known path, by its table; an API route; a trailing slash, by a redirect; else a 404 page. Every
//! answer leaves with the security headers, a request id and a log line.

mod app;
mod body;
mod chat;
mod client;
mod contact;
mod contact_answer;
mod contact_form;
mod embedded;
mod error;
mod form_body;
mod headers;
mod intake;
mod methods;
mod metrics;
mod negotiate;
mod newsletter;
mod newsletter_links;
pub mod ops;
mod pages;
mod protocol;
mod rate_limit;
mod readiness;
mod redirect;
mod request_id;
mod request_log;
mod resource;
mod routes;
mod same_origin;
mod shell;
mod template;

pub use app::{App, AppParts};
pub use embedded::Embedded;
pub use headers::ExtraSources;
pub use metrics::Metrics;
pub use pages::Pages;
pub use rate_limit::RateLimit;
pub use shell::Shell;
