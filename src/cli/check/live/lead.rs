//! A test lead through the public address, and whom the server took for its
//! sender.
//!
//! The lead is stored by ourselves first, as spam and with nothing to deliver; then
//! the same form is sent under the same key, as a browser does that sends twice.
//! The server finds the lead and answers with its id: it reads forms and reaches
//! this database, and nobody is told, reminded or counted. What a check that was
//! cut off left behind is spam, and goes with it.

use std::net::IpAddr;

use http::{HeaderMap, StatusCode};
use ipnet::IpNet;
use serde_json::{Value, json};
use uuid::Uuid;

use super::site::PublicSite;
use super::verdict::{Verdict, bad, good, unsure};
use crate::calls::cause;
use crate::domain::{Contact, ContactForm, HoldReason, IdempotencyKey};
use crate::http::{CHECK_HEADER, CLIENT_HEADER, PROXY_HEADER};
use crate::store::{LeadState, NewLead, Store, StoreError};

const NAME: &str = "frontdoor check";
const MESSAGE: &str = "A test by frontdoor check --live, which removes it again.";
const PLACE: &str = "contact";

/// A lead of this check alone: others may run at the same time.
struct TestLead {
    key: String,
    email: String,
}

impl TestLead {
    fn new() -> Self {
        let key = Uuid::new_v4();
        Self {
            email: format!("check-{}@frontdoor.invalid", key.simple()),
            key: key.to_string(),
        }
    }
}

/// Ends by itself: the store and the call have limits, and what was stored must
/// be removed.
pub async fn look(store: &Store, site: &PublicSite, proxies: &[IpNet]) -> Vec<Verdict> {
    let test = TestLead::new();
    let verdicts = match add(store, &test).await {
        Ok(id) => send(site, &test, &id, proxies).await,
        Err(error) => vec![bad("lead", error.to_string(), "")],
    };
    match store.remove_leads(&test.email).await {
        Ok(_) => verdicts,
        Err(error) => {
            let what = format!("the test lead could not be removed: {error}");
            let remedy = "it is marked as spam and goes with that";
            [verdicts, vec![unsure("lead", what, remedy)]].concat()
        }
    }
}

async fn add(store: &Store, test: &TestLead) -> Result<String, StoreError> {
    let form = ContactForm {
        name: NAME,
        email: &test.email,
        phone: "",
        message: MESSAGE,
        form_location: PLACE,
    };
    let contact = Contact::parse(form).expect("a form that is filled in well");
    let lead = NewLead {
        // Held from the first moment on: nobody waits, and nothing is sent.
        hold: Some(HoldReason::Decoy),
        idempotency_key: IdempotencyKey::parse(&test.key).unwrap_or_default(),
        ..NewLead::new(contact)
    };
    let now = store.now();
    let id = store.add_lead(lead, now).await?.id;
    let ids = std::slice::from_ref(&id);
    store.set_lead_state(ids, LeadState::Spam, now).await?;
    Ok(id)
}

async fn send(site: &PublicSite, test: &TestLead, id: &str, proxies: &[IpNet]) -> Vec<Verdict> {
    let form = json!({
        "name": NAME,
        "email": test.email,
        "message": MESSAGE,
        "form_location": PLACE,
        // Where it is not known, on another database, it is held back.
        "leave_empty": NAME,
    });
    let request = site
        .client()
        .post(site.page("/api/contacts"))
        .header("content-type", "application/json")
        .header("idempotency-key", &test.key)
        .header(CHECK_HEADER, "1")
        .body(form.to_string());
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => {
            let why = cause::words(&error);
            let what = format!("a test lead could not be sent: {why}");
            return vec![unsure("lead", what, "mend what is said of the site")];
        }
    };
    let (status, headers) = (answer.status(), answer.headers().clone());
    let body: Value = match answer.bytes().await {
        Ok(bytes) => serde_json::from_slice(&bytes).unwrap_or_default(),
        Err(_) => Value::Null,
    };
    let lead = judge(site, status, body["id"].as_str() == Some(id), test);
    [vec![lead], client(site, &headers, proxies)].concat()
}

fn judge(site: &PublicSite, status: StatusCode, is_known: bool, test: &TestLead) -> Verdict {
    let url = &site.url;
    match (status, is_known) {
        (StatusCode::CREATED, true) => good("lead", format!("a test lead came through {url}")),
        (StatusCode::CREATED, false) => bad(
            "lead",
            format!("{url} stores leads in another database than this one"),
            format!(
                "compare with the service's: frontdoor settings; the test lead there is held, \
                remove it with frontdoor leads forget {}",
                test.email
            ),
        ),
        (StatusCode::TOO_MANY_REQUESTS, _) => unsure(
            "lead",
            "too many posts from here in this minute",
            "check again in a minute",
        ),
        (status, _) => bad(
            "lead",
            format!("{url} answers a form with status {}", status.as_u16()),
            "does the proxy pass POST /api/contacts on to this service?",
        ),
    }
}

/// Whether visitors are told apart.
fn client(site: &PublicSite, headers: &HeaderMap, proxies: &[IpNet]) -> Vec<Verdict> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let (seen, by) = (text(CLIENT_HEADER), text(PROXY_HEADER));
    let listed: Vec<_> = proxies.iter().map(shown).collect();
    let believed = match listed.is_empty() {
        true => "no proxy is believed".to_owned(),
        false => format!("believed are {}", listed.join(", ")),
    };
    let (Some(seen), Some(by)) = (seen, by) else {
        let what = format!("{believed}; the server does not say whom it sees");
        return vec![unsure(
            "visitors",
            what,
            "is it an older version? restart the service",
        )];
    };
    let is_a_proxys = || {
        let seen = seen.parse::<IpAddr>();
        seen.is_ok_and(|seen| proxies.iter().any(|network| network.contains(&seen)))
    };
    vec![match by {
        "trusted" if is_a_proxys() => unsure(
            "visitors",
            format!("the server sees this machine as {seen}, which is a proxy's address"),
            "check from another machine, or let the proxy pass X-Forwarded-For on",
        ),
        "trusted" => good(
            "visitors",
            format!("the server sees this machine as {seen}; {believed}"),
        ),
        _ if site.is_secure() => bad(
            "visitors",
            format!(
                "the server takes every visitor for the proxy {seen}: all share one rate limit"
            ),
            format!(
                "set FRONTDOOR_TRUSTED_PROXIES={} and restart the service",
                [&listed[..], &[seen.to_owned()]].concat().join(",")
            ),
        ),
        _ => good(
            "visitors",
            format!("the server sees this machine as {seen}, without a proxy"),
        ),
    }]
}

/// One address without its length.
fn shown(network: &IpNet) -> String {
    match network.prefix_len() == network.max_prefix_len() {
        true => network.addr().to_string(),
        false => network.to_string(),
    }
}
