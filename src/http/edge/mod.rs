//! Parts common to all requests and answers: the client, protocol checks, rate limits, headers, and
//! the request log.

pub mod client;
pub mod protocol;
pub mod rate_limit;
pub mod request_log;
pub mod response;
