//! The site as visitors reach it: its response, its certificate, and a test lead.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use http::StatusCode;
use http::header::{HeaderMap, LOCATION};
use ipnet::IpNet;
use jiff::Timestamp;
use reqwest::tls::TlsInfo;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use url::Url;
use uuid::Uuid;
use x509_cert::Certificate;
use x509_cert::der::Decode as _;

use super::dns::{Found, Resolver};
use super::{Finding, bad, good, unsure};
use crate::calls;
use crate::domain::{Contact, ContactForm, HoldReason, IdempotencyKey};
use crate::http::{CHECK_HEADER, CLIENT_HEADER, PROXY_HEADER};
use crate::store::{LeadAction, LeadState, NewLead, Store, StoreError};

const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// In days. Automatic renewal replaces a certificate a month before its end.
const SOON: i64 = 20;
const VERY_SOON: i64 = 7;

const NAME: &str = "frontdoor check";
const MESSAGE: &str = "A test by frontdoor check --live, which removes it again.";
const PLACE: &str = "contact";

pub struct PublicSite {
    pub url: Url,
    pub host: String,
    pub addresses: Found<IpAddr>,
    client: Client,
}

impl PublicSite {
    pub async fn find(url: Url, resolver: &Resolver) -> anyhow::Result<Self> {
        let url = url.join("/")?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let literal = host.trim_matches(['[', ']']).parse::<IpAddr>();
        let addresses = match literal {
            Ok(address) => Ok(vec![address]),
            Err(_) => resolver.addresses(&host).await,
        };
        // Port 0: each call uses the port of its URL.
        let found = addresses.iter().flatten().map(|ip| (*ip, 0).into());
        let found: Vec<SocketAddr> = found.collect();
        let mut builder = calls::http_client(REQUEST_TIMEOUT)?.tls_info(true);
        if literal.is_err() && !found.is_empty() {
            builder = builder.resolve_to_addrs(&host, &found);
        }
        Ok(Self {
            client: builder.build()?,
            url,
            host,
            addresses,
        })
    }

    fn is_secure(&self) -> bool {
        self.url.scheme() == "https"
    }

    async fn get(&self, url: Url) -> reqwest::Result<Response> {
        self.client.get(url).send().await
    }
}

pub async fn findings(site: &PublicSite) -> Vec<Finding> {
    let mut findings = match site.get(site.url.clone()).await {
        Ok(answer) => answered(site, &answer),
        Err(error) => vec![unreachable(site, &error)],
    };
    findings.extend(plain_http(site).await);
    findings
}

fn answered(site: &PublicSite, answer: &Response) -> Vec<Finding> {
    let (url, status) = (&site.url, answer.status().as_u16());
    let answers = if answer.status().is_success() {
        good!("site", "{url} answers")
    } else {
        bad!("site", "{url} answers with status {status}").fix(
            "is the service running (systemctl status frontdoor), and does the proxy pass requests \
            on to where it listens?",
        )
    };
    let encrypted = if site.is_secure() {
        certificate_end(answer.extensions().get::<TlsInfo>(), Timestamp::now())
    } else {
        unsure!("TLS", "{url} isn't encrypted")
            .fix("give the site a certificate, or check its https:// address with --url")
    };
    vec![answers, encrypted]
}

fn unreachable(site: &PublicSite, error: &reqwest::Error) -> Finding {
    let (url, why) = (&site.url, calls::reason(error));
    if why.contains("certificate") {
        bad!("TLS", "{url}: {why}").fix(
            "get or renew a certificate for this name (the proxy's log says why there is none), \
            and check this machine's clock",
        )
    } else {
        bad!("site", "{url} doesn't answer: {why}")
            .fix("look at the proxy, the firewall and the DNS records; another address: --url")
    }
}

fn certificate_end(certificate: Option<&TlsInfo>, now: Timestamp) -> Finding {
    let certificate = certificate.and_then(TlsInfo::peer_certificate);
    let certificate = certificate.and_then(|der| Certificate::from_der(der).ok());
    let end = certificate.map(|certificate| certificate.tbs_certificate.validity.not_after);
    let Some(end) = end.and_then(|end| Timestamp::try_from(end.to_system_time()).ok()) else {
        return unsure!("TLS", "the certificate can't be read").fix("look at it in a browser");
    };
    let days = end.duration_since(now).as_hours() / 24;
    let remedy = "it isn't renewed automatically: look at the proxy's log";
    match days {
        ..VERY_SOON => bad!("TLS", "the certificate is trusted, {days} days are left").fix(remedy),
        VERY_SOON..SOON => {
            unsure!("TLS", "the certificate is trusted, {days} days are left").fix(remedy)
        }
        _ => good!("TLS", "the certificate is trusted, {days} days are left"),
    }
}

async fn plain_http(site: &PublicSite) -> Option<Finding> {
    const CHECK: &str = "HTTP to HTTPS";
    if !site.is_secure() || site.url.port().is_some() {
        return None;
    }
    let url = Url::parse(&format!("http://{}/", site.host)).ok()?;
    Some(match site.get(url.clone()).await {
        Ok(answer) if leads_to_tls(&answer, &url) => good!(CHECK, "{url} redirects"),
        Ok(answer) => {
            let status = answer.status().as_u16();
            bad!(CHECK, "{url} answers with status {status}")
                .fix("let the proxy redirect http:// to https://")
        }
        Err(error) => {
            let why = calls::reason(&error);
            unsure!(CHECK, "{url} doesn't answer: {why}")
                .fix("open port 80 and redirect there, for visitors who type only the name")
        }
    })
}

fn leads_to_tls(answer: &Response, from: &Url) -> bool {
    let location = answer.headers().get(LOCATION);
    let location = location.and_then(|location| from.join(location.to_str().ok()?).ok());
    answer.status().is_redirection() && location.is_some_and(|to| to.scheme() == "https")
}

/// Sends a test lead through the public address, and reports which client address the server saw.
///
/// The check first stores the lead itself, as spam and with nothing to deliver. Then it sends the
/// same form with the same key, like a browser that sends a form twice. If the server responds with
/// the lead's id, it reads forms and uses this database; nobody is notified or reminded. A check
/// that is cut off leaves spam behind, which is removed with other spam. There is no time limit,
/// because the lead must be removed; the store and the call have their own limits.
pub async fn test_lead(store: &Store, site: &PublicSite, proxies: &[IpNet]) -> Vec<Finding> {
    // Unique, because other checks may run at the same time.
    let key = Uuid::new_v4().to_string();
    let email = format!("check-{key}@frontdoor.invalid");
    let mut findings = match add(store, &key, &email).await {
        Ok(id) => send(site, &key, &email, &id, proxies).await,
        Err(error) => vec![bad!("lead", "{error}")],
    };
    if let Err(error) = store.forget(&email).await {
        findings.push(
            unsure!("lead", "the test lead could not be removed: {error}")
                .fix("it is marked as spam and will be removed with other spam"),
        );
    }
    findings
}

async fn add(store: &Store, key: &str, email: &str) -> Result<String, StoreError> {
    let form = ContactForm {
        name: NAME,
        email,
        message: MESSAGE,
        form_location: PLACE,
        ..ContactForm::default()
    };
    let contact = Contact::parse(form).expect("a form that is filled in well");
    let lead = NewLead {
        // Held from the start, so that nothing is sent before it is marked as spam.
        hold: Some(HoldReason::Honeypot),
        idempotency_key: IdempotencyKey::parse(key).unwrap_or_default(),
        ..NewLead::new(contact)
    };
    let now = store.now();
    let id = store.add_lead(lead, now).await?.id;
    let spam = LeadAction::Mark(LeadState::Spam);
    store.act_on_lead(&id, spam, None, now).await?;
    Ok(id)
}

async fn send(
    site: &PublicSite,
    key: &str,
    email: &str,
    id: &str,
    proxies: &[IpNet],
) -> Vec<Finding> {
    let form = json!({
        "name": NAME,
        "email": email,
        "message": MESSAGE,
        "form_location": PLACE,
        // The honeypot: with another database, the server holds the lead back.
        "leave_empty": NAME,
    });
    let url = &site.url;
    let mut target = url.clone();
    target.set_path("/api/contacts");
    let request = site
        .client
        .post(target)
        .header("content-type", "application/json")
        .header("idempotency-key", key)
        .header(CHECK_HEADER, "1")
        .body(form.to_string());
    let answer = match request.send().await {
        Ok(answer) => answer,
        Err(error) => {
            let why = calls::reason(&error);
            return vec![
                unsure!("lead", "a test lead could not be sent: {why}")
                    .fix("fix the site first: see its line"),
            ];
        }
    };
    let (status, headers) = (answer.status(), answer.headers().clone());
    let body = answer.bytes().await.unwrap_or_default();
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let lead = match status {
        StatusCode::CREATED if body["id"] == id => {
            good!("lead", "a test lead came through {url}")
        }
        StatusCode::CREATED => bad!(
            "lead",
            "{url} stores leads in another database than this one"
        )
        .fix(format!(
            "compare `frontdoor settings` with the service's; then remove the test lead there: \
            frontdoor leads forget {email}"
        )),
        StatusCode::TOO_MANY_REQUESTS => {
            unsure!("lead", "refused by the site's rate limit").fix("check again in a minute")
        }
        status => {
            let status = status.as_u16();
            bad!("lead", "{url} answers a form with status {status}")
                .fix("does the proxy pass POST /api/contacts on to this service?")
        }
    };
    vec![lead, client(site, &headers, proxies)]
}

/// Whether the server can tell visitors apart by their addresses.
fn client(site: &PublicSite, headers: &HeaderMap, proxies: &[IpNet]) -> Finding {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    let (Some(seen), Some(by)) = (text(CLIENT_HEADER), text(PROXY_HEADER)) else {
        return unsure!("visitors", "the server doesn't say which address it sees")
            .fix("is it an older version? restart the service");
    };
    // A single address is shown without its prefix length.
    let shown = |network: &IpNet| {
        if network.prefix_len() == network.max_prefix_len() {
            network.addr().to_string()
        } else {
            network.to_string()
        }
    };
    let mut trusted: Vec<_> = proxies.iter().map(shown).collect();
    let is_proxy = seen.parse::<IpAddr>().is_ok_and(|seen| {
        let mut proxies = proxies.iter();
        proxies.any(|network| network.contains(&seen))
    });
    match by {
        "trusted" if is_proxy => unsure!(
            "visitors",
            "the server sees this machine as {seen}, which is a proxy's address"
        )
        .fix("check from another machine, or let the proxy pass X-Forwarded-For on"),
        "trusted" => {
            let trusted = trusted.join(", ");
            good!(
                "visitors",
                "the server sees this machine as {seen}; trusted proxies: {trusted}"
            )
        }
        _ if site.is_secure() => {
            trusted.push(seen.to_owned());
            let trusted = trusted.join(",");
            bad!(
                "visitors",
                "the server takes every visitor for the proxy {seen}, so all share one rate limit"
            )
            .fix(format!(
                "set FRONTDOOR_TRUSTED_PROXIES={trusted} and restart the service"
            ))
        }
        _ => good!(
            "visitors",
            "the server sees this machine as {seen}, without a proxy"
        ),
    }
}
