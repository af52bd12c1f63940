//! What visitors meet: the pages and the API.
//!
//! [`App`] answers every request in this order: one that breaks HTTP's rules,
//! by a 400; a known path, by its table; an API route; a trailing slash, by a redirect; else a 404 page. Every
//! answer leaves with the security headers, a request id and a log line.

mod app;
mod edge;
mod forms;
pub mod ops;
mod routes;
mod site;

pub use app::{App, AppParts};
pub use edge::headers::ExtraSources;
pub use forms::rate_limit::RateLimit;
pub use ops::metrics::Metrics;
pub use site::pages::Pages;
pub use site::shell::Shell;
