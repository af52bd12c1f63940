//! A collector that takes OTLP in JSON and holds it to the shape that the
//! standard asks for.

use serde_json::Value;

use crate::support::receiver::{Answer, Receiver};
use crate::support::wait::until;

pub struct Collector {
    receiver: Receiver,
    /// Its root: the program knows the path by itself.
    pub url: String,
}

/// One step, as it came.
#[derive(Debug, Clone)]
pub struct Step(pub Value);

impl Collector {
    pub async fn start(answer: impl Fn(usize) -> Answer + Send + Sync + 'static) -> Self {
        let receiver = Receiver::start(answer).await;
        let url = receiver.url.strip_suffix("/hook").unwrap().to_owned();
        Self { receiver, url }
    }

    pub async fn accepting() -> Self {
        Self::start(|_| Answer::Status(200)).await
    }

    pub fn calls(&self) -> usize {
        self.receiver.calls().len()
    }

    pub fn header(&self, name: &str) -> String {
        self.receiver.calls()[0].header(name).to_owned()
    }

    /// All that has come so far.
    pub fn steps(&self) -> Vec<Step> {
        let calls = self.receiver.calls();
        calls.iter().flat_map(|call| steps(&call.body)).collect()
    }

    /// Everything as it was sent.
    pub fn text(&self) -> String {
        let calls = self.receiver.calls();
        calls.iter().map(|call| call.body.as_str()).collect()
    }

    /// Waits until a step of this name has come.
    pub async fn step(&self, name: &str) -> Step {
        let find = || self.steps().into_iter().find(|step| step.name() == name);
        until(name, async || find().is_some()).await;
        find().unwrap()
    }
}

fn steps(body: &str) -> Vec<Step> {
    let sent: Value = serde_json::from_str(body).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let mut steps = Vec::new();
    for resource in list(&sent["resourceSpans"]) {
        let about = Step(resource["resource"].clone());
        assert_eq!(about.text("service.name"), "frontdoor");
        assert_eq!(about.text("service.version"), env!("CARGO_PKG_VERSION"));
        for scope in list(&resource["scopeSpans"]) {
            assert_eq!(scope["scope"]["name"], "frontdoor");
            steps.extend(list(&scope["spans"]).into_iter().map(Step));
        }
    }
    for step in &steps {
        step.assert_shape();
    }
    steps
}

impl Step {
    fn assert_shape(&self) {
        let is_hex = |key: &str, length: usize| {
            let text = self.0[key].as_str().unwrap_or_default();
            text.len() == length && text.bytes().all(|digit| digit.is_ascii_hexdigit())
        };
        assert!(is_hex("traceId", 32) && is_hex("spanId", 16), "{self:?}");
        assert!(self.0["parentSpanId"].is_null() || is_hex("parentSpanId", 16));
        assert!(matches!(self.0["kind"].as_u64(), Some(1..=3)), "{self:?}");
        let time = |key: &str| self.0[key].as_str().unwrap().parse::<u64>().unwrap();
        let (start, end) = (time("startTimeUnixNano"), time("endTimeUnixNano"));
        let now = jiff::Timestamp::now().as_nanosecond();
        assert!(start <= end && i128::from(end) <= now, "{self:?}");
        assert!(now - i128::from(start) < 3_600_000_000_000, "{self:?}");
    }

    pub fn name(&self) -> &str {
        self.0["name"].as_str().unwrap()
    }

    pub fn trace(&self) -> &str {
        self.0["traceId"].as_str().unwrap()
    }

    pub fn id(&self) -> &str {
        self.0["spanId"].as_str().unwrap()
    }

    pub fn parent(&self) -> Option<&str> {
        self.0["parentSpanId"].as_str()
    }

    pub fn has_failed(&self) -> bool {
        self.0["status"]["code"] == 2
    }

    fn attribute(&self, key: &str) -> &Value {
        let attributes = self.0["attributes"].as_array().unwrap();
        let found = attributes.iter().find(|each| each["key"] == key);
        &found.unwrap_or_else(|| panic!("{key} of {self:?}"))["value"]
    }

    pub fn text(&self, key: &str) -> &str {
        self.attribute(key)["stringValue"].as_str().unwrap()
    }

    /// Large numbers are text in this format.
    pub fn number(&self, key: &str) -> i64 {
        let number = self.attribute(key)["intValue"].as_str().unwrap();
        number.parse().unwrap()
    }
}
