//! A signed test call to the automation.

use jiff::Timestamp;

use super::verdict::{Verdict, bad, good, unsure};
use crate::config::WebhookSettings;
use crate::outbox::webhook::Webhook;
use crate::outbox::worker;

pub async fn look(webhook: Option<&WebhookSettings>) -> Vec<Verdict> {
    let Some(settings) = webhook else {
        let remedy = "set FRONTDOOR_WEBHOOK_URL to pass leads on to an automation";
        return vec![unsure("webhook", "is off: leads are only stored", remedy)];
    };
    let verdict = match Webhook::new(settings) {
        Ok(webhook) => webhook.test(Timestamp::now()).await,
        Err(error) => worker::Verdict::failed(error.to_string()),
    };
    let signed = match settings.secret {
        Some(_) => "a signed",
        None => "an unsigned",
    };
    let reason = match verdict {
        worker::Verdict::Accepted => {
            let what = format!("took {signed} test call (frontdoor-event: test)");
            return vec![good("webhook", what)];
        }
        worker::Verdict::Failed { reason, .. } | worker::Verdict::Refused { reason } => reason,
        _ => "no answer".into(),
    };
    let remedy = match reason.as_str() {
        "status 401" | "status 403" => {
            "does the automation have the same FRONTDOOR_WEBHOOK_SECRET, or FRONTDOOR_WEBHOOK_HEADER?"
        }
        _ => "look at the automation: is it on, and is FRONTDOOR_WEBHOOK_URL its present address?",
    };
    let what = match reason.starts_with("status") {
        true => format!("answers {signed} test call with {reason}"),
        false => reason,
    };
    vec![bad("webhook", what, remedy)]
}
