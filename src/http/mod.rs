//! The public site: pages and API.
//!
//! [`App`] answers a request with the first of these that applies: a 400 if the request breaks
//! HTTP's rules; the page or asset at the path; the handler for the path in `routes`; a redirect
//! for a trailing slash; a 404 page. Every response has security headers and a request id, and is
//! logged.
//!
//! Each module uses only the ones before it: `edge` (code common to all requests), `site` (the
//! pages), `ops` (health and metrics, on their own listener), `request` (what handlers get), `forms`
//! (visitors' submissions), `bookings` (webhooks of the booking services), `visits` (counting
//! without identifiers), `routes`, `app`.

mod app;
mod bookings;
mod edge;
mod forms;
pub mod ops;
mod request;
mod routes;
mod site;
mod visits;

pub use app::App;
pub use edge::protocol;
pub use edge::rate_limit::RateLimit;
pub use edge::response::{Problem, secure};
pub use forms::contact::{CHECK_HEADER, CLIENT_HEADER, PROXY_HEADER};
pub use forms::template_placeholders;
pub use ops::Metrics;
pub use request::AppState;
pub use site::head_injection::HeadInjection;
pub use site::release::{File as ReleaseFile, Release, read_file as read_release_file};
pub use site::release_list::{ReleaseRow, list_releases};
pub use site::release_watcher::{ReleaseWatcher, published_release};
pub use site::resource::{accepts, has_tag};
pub use site::{PageTable, faults as release_faults};
