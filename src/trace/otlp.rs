//! Spans as OTLP has them in JSON: ids in hexadecimal, large numbers as text,
//! names in camel case.

use serde_json::{Value as Json, json};

use super::span::{Span, Value};

const SERVICE: &str = "frontdoor";
const ERROR: u8 = 2;

/// A whole request to a collector.
pub fn request(spans: &[Span], instance: &str) -> Json {
    let version = env!("CARGO_PKG_VERSION");
    let resource = [
        text("service.name", SERVICE),
        text("service.version", version),
        text("service.instance.id", instance),
    ];
    json!({ "resourceSpans": [{
        "resource": { "attributes": resource },
        "scopeSpans": [{
            "scope": { "name": SERVICE, "version": version },
            "spans": spans.iter().map(span).collect::<Vec<_>>(),
        }],
    }] })
}

fn span(span: &Span) -> Json {
    let mut json = json!({
        "traceId": format!("{:032x}", span.place.trace),
        "spanId": id(span.place.span),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.start.to_string(),
        "endTimeUnixNano": span.end.to_string(),
        "attributes": span.attributes.iter().map(attribute).collect::<Vec<_>>(),
    });
    if let Some(parent) = span.parent {
        json["parentSpanId"] = id(parent).into();
    }
    if let Some(error) = &span.error {
        json["status"] = json!({ "code": ERROR, "message": error });
    }
    json
}

fn id(span: u64) -> String {
    format!("{span:016x}")
}

fn attribute((key, value): &(&'static str, Value)) -> Json {
    match value {
        Value::Text(value) => text(key, value),
        Value::Number(value) => {
            json!({ "key": key, "value": { "intValue": value.to_string() } })
        }
    }
}

fn text(key: &str, value: &str) -> Json {
    json!({ "key": key, "value": { "stringValue": value } })
}
