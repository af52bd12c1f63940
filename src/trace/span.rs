//! One step of a trace: what was done, from when to when, and how it ended.

use std::borrow::Cow;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use super::context::Context;

/// What a step is to those before and after it, by OpenTelemetry's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Internal = 1,
    Server = 2,
    Client = 3,
}

/// Never about a person: no query, no address, no name, no words of theirs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Text(Cow<'static, str>),
    Number(i64),
}

/// A step that has begun.
#[derive(Debug, Clone, Copy)]
pub struct Begun {
    pub place: Context,
    /// The step that it is a part of.
    pub parent: Option<u64>,
    at: SystemTime,
    clock: Instant,
}

/// A step that is done.
#[derive(Debug, Clone)]
pub struct Span {
    pub place: Context,
    pub parent: Option<u64>,
    pub name: Cow<'static, str>,
    pub kind: Kind,
    /// Nanoseconds since 1970.
    pub start: u64,
    pub end: u64,
    pub attributes: Vec<(&'static str, Value)>,
    /// Why it failed, if it did.
    pub error: Option<Cow<'static, str>>,
}

impl Begun {
    pub fn new(place: Context, parent: Option<u64>) -> Self {
        Self {
            place,
            parent,
            at: SystemTime::now(),
            clock: Instant::now(),
        }
    }

    /// Done now.
    pub fn done(&self, name: impl Into<Cow<'static, str>>, kind: Kind) -> Span {
        let since = self.at.duration_since(UNIX_EPOCH).unwrap_or_default();
        let nanoseconds =
            |duration: std::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        Span {
            place: self.place,
            parent: self.parent,
            name: name.into(),
            kind,
            start: nanoseconds(since),
            // Whatever was done to the machine's time meanwhile.
            end: nanoseconds(since + self.clock.elapsed()),
            attributes: Vec::new(),
            error: None,
        }
    }
}

impl Span {
    pub fn text(mut self, key: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.attributes.push((key, Value::Text(value.into())));
        self
    }

    pub fn number(mut self, key: &'static str, value: i64) -> Self {
        self.attributes.push((key, Value::Number(value)));
        self
    }

    pub fn failed(mut self, error: Option<Cow<'static, str>>) -> Self {
        self.error = error;
        self
    }
}
