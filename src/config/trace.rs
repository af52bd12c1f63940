//! Who is told, span by span, what requests and deliveries did.

use http::{HeaderMap, HeaderName, HeaderValue};
use percent_encoding::percent_decode_str;
use url::Url;

use super::Secret;
use super::parse::{Parsed, web_url};
use super::setting::settings;

/// Where a collector takes traces, unless its address says otherwise.
const USUAL_PATH: &str = "/v1/traces";

settings! {
    TraceArgs in "Watching" => Option<TraceSettings> {
        /// Collector that traces are sent to (OpenTelemetry, OTLP over HTTP with
        /// JSON), like http://127.0.0.1:4318; /v1/traces is added where it has no
        /// path
        #[arg(env = "FRONTDOOR_OTLP_URL", value_name = "URL", hide_env_values = true)]
        otlp_url => url: Secret<Url> = url, or off;

        /// Headers for it, as NAME=VALUE separated by commas; a comma in a value is
        /// written %2C
        #[arg(env = "FRONTDOOR_OTLP_HEADERS", value_name = "HEADERS", hide_env_values = true)]
        otlp_headers => headers: Option<Secret<HeaderMap>> = headers, or none;

        /// Share of the traces that are sent, from 0 to 1; a proxy that is believed
        /// decides itself for what it traces
        #[arg(env = "FRONTDOOR_OTLP_RATIO", value_name = "NUMBER")]
        otlp_ratio => ratio: f64 = ratio, or "1";
    }
}

fn url(text: &str) -> Parsed<Secret<Url>> {
    let mut url = web_url(text)?;
    if url.path() == "/" {
        url.set_path(USUAL_PATH);
    }
    Ok(Secret::new(url))
}

/// As OpenTelemetry's own variable has them.
fn headers(text: &str) -> Parsed<Secret<HeaderMap>> {
    let wrong = || "must be NAME=VALUE, several separated by commas".to_owned();
    let mut headers = HeaderMap::new();
    for pair in text.split(',') {
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let name = HeaderName::try_from(name.trim()).map_err(|_| wrong())?;
        let value: Vec<u8> = percent_decode_str(value.trim()).collect();
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
        if value.is_empty() {
            return Err(wrong());
        }
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(Secret::new(headers))
}

fn ratio(text: &str) -> Parsed<f64> {
    let ratio = text.parse::<f64>().ok();
    ratio
        .filter(|ratio| (0.0..=1.0).contains(ratio))
        .ok_or_else(|| "must be a number from 0 to 1".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_path_is_added_where_there_is_none() {
        for (given, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("https://o.example/", "https://o.example/v1/traces"),
            ("https://o.example/otlp?a=b", "https://o.example/otlp?a=b"),
        ] {
            assert_eq!(url(given).unwrap().reveal().as_str(), expected);
        }
    }

    #[test]
    fn headers_are_pairs_with_escapes() {
        let read = headers("api-key=hush%2C%20x , X-Scope = a=b").unwrap();
        assert_eq!(read.reveal()["api-key"], "hush, x");
        assert_eq!(read.reveal()["x-scope"], "a=b");
        for wrong in ["hush", "a b=c", "a=", "a=b,", "a=%0A"] {
            let complaint = headers(wrong).unwrap_err();
            assert!(complaint.starts_with("must be NAME=VALUE"), "{complaint}");
        }
    }

    #[test]
    fn a_share_is_between_none_and_all() {
        assert_eq!(ratio("0.25"), Ok(0.25));
        for wrong in ["1.1", "-0.1", "NaN", "half"] {
            assert!(ratio(wrong).is_err(), "{wrong}");
        }
    }
}
