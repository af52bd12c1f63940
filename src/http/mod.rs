//! What visitors meet: the pages and the API.
//!
//! [`App`] answers every request in this order: one that breaks HTTP's rules,
//! by a 400; a known path, by its table; a route of `routes`, by its handler; a
//! trailing slash, by a redirect; else a 404 page. Every answer leaves with the
//! security headers, a request id and a log line.
//!
//! Modules, each using those before it only: `edge` (what every request and
//! answer has), `site` (the pages), `ops` (health and metrics, on a listener of
//! their own), `forms` (what visitors send).

mod app;
mod edge;
mod forms;
pub mod ops;
mod routes;
mod site;

pub use app::App;
pub use edge::rate_limit::RateLimit;
pub use forms::contact::{CHECK_HEADER, CLIENT_HEADER, PROXY_HEADER};
pub use forms::{AppParts, template_words};
pub use ops::metrics::Metrics;
pub use site::PageTable;
pub use site::head_injection::HeadInjection;
pub use site::release::{File as ReleaseFile, Release, read_file as read_release_file};
pub use site::release_watcher::ReleaseWatcher;
pub use site::review::faults as release_faults;
