//! What every request and every answer has, whatever it is about: who calls,
//! what HTTP asks for, the headers, the log line.

pub mod client;
pub mod protocol;
pub mod rate_limit;
pub mod request_log;
pub mod response;
