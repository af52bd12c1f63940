//! What travels beside the five fields of a webhook: which event it is, which
//! lead, and where the visit began. In headers, because the body is the
//! contract's.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::store::{DeliveryKind, Lead};

const EVENT: HeaderName = HeaderName::from_static("frontdoor-event");
const LEAD_ID: HeaderName = HeaderName::from_static("frontdoor-lead-id");
const LEAD_TIME: HeaderName = HeaderName::from_static("frontdoor-lead-time");

/// Those that a visit may have, by the name of the fact.
const SOURCE: [(&str, HeaderName); 3] = [
    (
        "landing_path",
        HeaderName::from_static("frontdoor-landing-path"),
    ),
    (
        "referrer_host",
        HeaderName::from_static("frontdoor-referrer"),
    ),
    (
        "utm_campaign",
        HeaderName::from_static("frontdoor-campaign"),
    ),
];

/// Of one value, escapes included: receivers have limits of their own.
const LONGEST: usize = 500;

pub fn headers(kind: DeliveryKind, lead: &Lead) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(EVENT, HeaderValue::from_static(event(kind)));
    let mut add = |name: HeaderName, value: &str| {
        if let Ok(value) = HeaderValue::try_from(harmless(value)) {
            headers.insert(name, value);
        }
    };
    add(LEAD_ID, &lead.id);
    add(LEAD_TIME, &lead.created_at.to_string());
    for (fact, header) in SOURCE {
        let value = lead.source.known().find(|(name, _)| *name == fact);
        if let Some((_, value)) = value {
            add(header, value);
        }
    }
    headers
}

/// Of a call that is about no lead.
pub fn of_a_test() -> HeaderMap {
    HeaderMap::from_iter([(EVENT, HeaderValue::from_static("test"))])
}

fn event(kind: DeliveryKind) -> &'static str {
    match kind {
        DeliveryKind::DueWebhook => "lead.due",
        // About a lead of which the owner could not be told by mail.
        DeliveryKind::FaultWebhook => "delivery.failing",
        _ => "lead.created",
    }
}

/// Visible ASCII as it is, everything else by its bytes as in an address. Cut
/// between two characters.
fn harmless(value: &str) -> String {
    let mut written = String::new();
    for character in value.chars() {
        let escaped = match character.is_ascii_graphic() {
            true => character.to_string(),
            false => percent(character),
        };
        if written.len() + escaped.len() > LONGEST {
            break;
        }
        written += &escaped;
    }
    written
}

fn percent(character: char) -> String {
    let mut bytes = [0; 4];
    let bytes = character.encode_utf8(&mut bytes).bytes();
    bytes.map(|byte| format!("%{byte:02X}")).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_visible_ascii_is_written_as_in_an_address() {
        assert_eq!(harmless("/blog?a=b%20c"), "/blog?a=b%20c");
        assert_eq!(
            harmless("été 2026\r\nX: y"),
            "%C3%A9t%C3%A9%202026%0D%0AX:%20y"
        );
    }

    proptest! {
        #[test]
        fn every_value_becomes_one_short_header(value in any::<String>()) {
            let written = harmless(&value);
            prop_assert!(written.len() <= LONGEST);
            prop_assert!(written.bytes().all(|byte| byte.is_ascii_graphic()));
            prop_assert!(HeaderValue::try_from(written).is_ok());
        }
    }

    #[test]
    fn a_long_value_is_cut_between_two_characters() {
        let written = harmless(&"é".repeat(200));
        assert_eq!(written.len(), LONGEST / 6 * 6);
    }
}
