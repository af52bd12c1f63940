//! What visitors meet: the pages and the API.
//!
//! [`App`] answers every request in this order: one that breaks HTTP's rules,
//! by a 400; a known path, by its table; a route of `routes`, by its handler; a
//! trailing slash, by a redirect; else a 404 page. Every answer leaves with the
//! security headers, a request id and a log line.
//!
//! Rooms, each using those before it only: `edge` (what every request and
//! answer has), `site` (the pages), `ops` (health and metrics, on a listener of
//! their own), `forms` (what visitors send). `parts` is what handlers work with.

mod app;
mod edge;
mod forms;
mod label;
mod nowhere;
pub mod ops;
mod parts;
mod routes;
mod site;

pub use app::App;
pub use edge::rate_limit::RateLimit;
pub use forms::{CHECK_HEADER, CLIENT_HEADER, PROXY_HEADER, template_words};
pub use ops::metrics::Metrics;
pub use parts::AppParts;
pub use site::changeover::Changeover;
pub use site::press::Press;
pub use site::release::{File as ReleaseFile, Release, read_file as read_release_file};
pub use site::review::faults as release_faults;
pub use site::shell::Shell;
