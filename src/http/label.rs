//! The name of an answer in the log and the metrics.

use super::edge::body::Answer;
use super::edge::headers;
use super::ops::metrics::Class;

#[derive(Clone, Copy)]
pub struct Label<'a> {
    pub class: Class,
    /// Our own words, never a visitor's.
    pub route: &'a str,
}

impl Label<'static> {
    /// The answer as it leaves the router: labelled, and with the headers of
    /// every answer.
    pub fn on(self, mut answer: Answer) -> Answer {
        headers::secure(answer.headers_mut());
        answer.extensions_mut().insert(self);
        answer
    }
}
