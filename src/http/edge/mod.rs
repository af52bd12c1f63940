//! What every request and every answer has, whatever it is about: who calls,
//! what HTTP asks for, the headers, the log line.

pub mod body;
pub mod client;
pub mod error;
pub mod headers;
pub mod methods;
pub mod protocol;
pub mod rate_limit;
pub mod redirect;
pub mod request_id;
pub mod request_log;
pub mod same_origin;
