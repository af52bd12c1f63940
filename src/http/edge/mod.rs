//! Code common to all requests: the client's address, protocol checks, rate limits, response
//! headers, and the request log.

pub mod client;
pub mod protocol;
pub mod rate_limit;
pub mod request_log;
pub mod response;
